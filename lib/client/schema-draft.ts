/** A JSON Schema as servers write it: nothing about it is certain. */
export type LooseSchema = Record<string, unknown>;
export type Path = readonly (string | number)[];
export type FieldKind = "text" | "number" | "boolean" | "choice" | "object" | "list" | "json";

const maxReferences = 10;

/** The schema that counts: references within `root` followed, the one choice besides null taken. */
export function resolveSchema(schema: unknown, root: LooseSchema): LooseSchema {
  let found = isObject(schema) ? schema : {};
  for (let step = 0; step < maxReferences; step++) {
    const next = referred(found, root) ?? onlyChoice(found);
    if (!next) return found;
    const { $ref: _, anyOf: __, oneOf: ___, ...rest } = found;
    found = { ...rest, ...next };
  }
  return {};
}

function referred({ $ref }: LooseSchema, root: LooseSchema): LooseSchema | undefined {
  if (typeof $ref !== "string" || !$ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const name of $ref.slice(2).split("/"))
    at = isObject(at) ? at[decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  return isObject(at) ? at : {};
}

function onlyChoice({ anyOf, oneOf }: LooseSchema): LooseSchema | undefined {
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  const real = choices?.filter((choice) => isObject(choice) && choice.type !== "null");
  return real?.length === 1 && isObject(real[0]) ? real[0] : undefined;
}

/** How a value is edited: by its schema where that says it, else by what stands there. */
export function kindOf(schema: LooseSchema, value: unknown): FieldKind {
  if (Array.isArray(schema.enum) && schema.enum.every(isScalar)) return "choice";
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== "null") : [schema.type];
  const byType = types.length === 1 ? kinds[String(types[0])] : undefined;
  const kind = byType ?? kindOfValue(value);
  return fits(kind, value) ? kind : "json";
}

const kinds: Record<string, FieldKind> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  object: "object",
  array: "list",
};

function kindOfValue(value: unknown): FieldKind {
  if (Array.isArray(value)) return "list";
  return value === null ? "json" : (kinds[typeof value] ?? "json");
}

/** A value of another kind than its schema says is shown as the JSON that it is. */
function fits(kind: FieldKind, value: unknown): boolean {
  if (value === undefined) return kind !== "json";
  return kind === "choice" || kindOfValue(value) === kind;
}

/** What a field begins with when it is added. */
export function emptyOf(schema: LooseSchema, root: LooseSchema): unknown {
  const resolved = resolveSchema(schema, root);
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  switch (kindOf(resolved, undefined)) {
    case "choice":
      return (resolved.enum as unknown[])[0];
    case "number":
      return typeof resolved.minimum === "number" ? resolved.minimum : 0;
    case "boolean":
      return false;
    case "list":
      return [];
    case "object": {
      const { properties, required } = fieldsOf(resolved);
      return Object.fromEntries(required.map((name) => [name, emptyOf(properties[name] ?? {}, root)]));
    }
    default:
      return "";
  }
}

/** Named fields of an object's schema, and which of them it must have. */
export function fieldsOf(schema: LooseSchema): {
  properties: Record<string, LooseSchema>;
  required: string[];
} {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    properties: Object.fromEntries(
      Object.entries(properties).filter(([, inner]) => isObject(inner)),
    ) as Record<string, LooseSchema>,
    required: required.filter((name) => typeof name === "string" && name in properties),
  };
}

/** A copy with another value at `path`; undefined takes it out. */
export function setAt(value: unknown, path: Path, next: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    const list = [...value];
    if (rest.length === 0 && next === undefined) list.splice(Number(key), 1);
    else list[Number(key)] = setAt(list[Number(key)], rest, next);
    return list;
  }
  const { [key]: before, ...others } = isObject(value) ? value : {};
  const inner = setAt(before, rest, next);
  // In its old place, where it has one.
  if (inner === undefined) return others;
  return before === undefined ? { ...others, [key]: inner } : { ...(value as object), [key]: inner };
}

/** The value that a text stands for, by kind; undefined when it stands for none. */
export function readText(schema: LooseSchema, kind: FieldKind, text: string): unknown {
  if (kind === "text") return text;
  if (kind === "number") {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!Number.isFinite(value) || (isInteger(schema) && !Number.isInteger(value))) return undefined;
    if (typeof schema.minimum === "number" && value < schema.minimum) return undefined;
    return typeof schema.maximum === "number" && value > schema.maximum ? undefined : value;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const isInteger = ({ type }: LooseSchema): boolean =>
  type === "integer" || (Array.isArray(type) && type.includes("integer") && !type.includes("number"));

/** A place as text, for keys of a map. */
export const pointer = (path: Path): string => path.map((part) => `/${part}`).join("");

const isScalar = (value: unknown) => typeof value !== "object" || value === null;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
