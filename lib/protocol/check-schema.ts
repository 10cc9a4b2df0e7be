const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);
const inObjects = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const inLists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const single = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const maxDepth = 50;

/**
 * What keeps a value from being a JSON Schema that can be used here, as one sentence with its path; undefined when
 * nothing does. References must stay within the schema: none is fetched.
 */
export function findSchemaProblem(schema: unknown, path = "", depth = 0): string | undefined {
  const at = path === "" ? "it" : path;
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return `${at} is no JSON Schema: it must be an object`;
  if (depth > maxDepth) return `${at} is nested deeper than ${maxDepth}`;
  const { type, required, $ref } = schema;
  const named = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const unknown = named.find((name) => !types.has(name as string));
  if (unknown !== undefined) return `${path}/type: ${JSON.stringify(unknown)} is no type of JSON Schema`;
  if (schema.enum !== undefined && !Array.isArray(schema.enum)) return `${path}/enum must be a list`;
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === "string"))
  )
    return `${path}/required must be a list of names`;
  if ($ref !== undefined && !(typeof $ref === "string" && $ref.startsWith("#")))
    return `${path}/$ref must point into the schema itself, as in "#/$defs/name"`;
  for (const [key, inner] of inside(schema, path)) {
    if (typeof inner === "string") return inner;
    const problem = findSchemaProblem(inner.schema, key, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

/** The schemas in a schema with their paths, or what is wrong with where they should be. */
function* inside(
  schema: Record<string, unknown>,
  path: string,
): Generator<[path: string, inner: { schema: unknown } | string]> {
  for (const key of inObjects) {
    const named = schema[key];
    if (named === undefined) continue;
    if (!isObject(named)) yield [key, `${path}/${key} must be an object of schemas`];
    else
      for (const [name, inner] of Object.entries(named)) yield [`${path}/${key}/${name}`, { schema: inner }];
  }
  for (const key of inLists) {
    const list = schema[key];
    if (list === undefined) continue;
    if (!Array.isArray(list) || list.length === 0) yield [key, `${path}/${key} must be a list of schemas`];
    else for (const [at, inner] of list.entries()) yield [`${path}/${key}/${at}`, { schema: inner }];
  }
  for (const key of single) if (schema[key] !== undefined) yield [`${path}/${key}`, { schema: schema[key] }];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
