type Schema = Record<string, unknown>;

interface HeaderFault {
  fault: string;
}

const key = "x-mcp-header";
/** RFC 9110, 5.1. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types = new Set<unknown>(["string", "integer", "boolean"]);

/**
 * What is wrong with the parameters that a tool wants as headers (`x-mcp-header`, 2026-07-28, Streamable HTTP): a tool
 * with such a fault must not be offered. Undefined without a fault. The caller bounds the depth of the schema.
 */
export function headerFault(inputSchema: Schema): HeaderFault | undefined {
  const seen = new Set<string>();
  const visit = (node: unknown, isProperty: boolean, isReachable: boolean): HeaderFault | undefined => {
    if (typeof node !== "object" || node === null) return undefined;
    if (Object.hasOwn(node, key) && !Array.isArray(node)) {
      if (!(isProperty && isReachable)) return { fault: "x-mcp-header is where no argument is" };
      const fault = check(node as Schema, seen);
      if (fault) return fault;
    }
    for (const [name, inner] of Object.entries(node)) {
      if (name === "properties" && !Array.isArray(node)) {
        for (const property of Object.values((inner ?? {}) as Schema)) {
          const fault = visit(property, true, isReachable);
          if (fault) return fault;
        }
      } else if (name !== key && !data.has(name)) {
        const fault = visit(inner, false, false);
        if (fault) return fault;
      }
    }
    return undefined;
  };
  return visit(inputSchema, false, true);
}

/** Keywords whose values are not schemas. */
const data = new Set(["enum", "const", "default", "examples", "required"]);

function check(property: Schema, seen: Set<string>): HeaderFault | undefined {
  const name = property[key];
  if (typeof name !== "string" || !token.test(name))
    return { fault: "x-mcp-header is not the name of a header" };
  if (!types.has(property.type))
    return { fault: `x-mcp-header "${name}" is not of type string, integer or boolean` };
  if (seen.has(name.toLowerCase())) return { fault: `x-mcp-header "${name}" is there twice` };
  seen.add(name.toLowerCase());
  return undefined;
}
