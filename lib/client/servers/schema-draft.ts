/** A JSON Schema as a server wrote it: any member can be of any type. */
export type LooseSchema = Record<string, unknown>;
export type Path = readonly (string | number)[];
export type FieldKind = "text" | "number" | "boolean" | "choice" | "object" | "list" | "json";

const maxReferences = 10;
/** Levels of a new value that are filled in; a schema can ask for endless nesting. */
const maxFilledIn = 300;

/** The effective schema: references within `root` are resolved, and a choice between null and one other is that other. */
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
  if (typeof $ref !== "string" || !/^#(\/|$)/.test($ref)) return undefined;
  let at: unknown = root;
  for (const name of $ref.split("/").slice(1)) at = ownMember(at, nameIn(name));
  return isObject(at) ? at : {};
}

/** A part of a JSON pointer in a URI; wrong escapes are kept as they are. */
function nameIn(part: string): string {
  const plain = (text: string) => text.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return plain(decodeURIComponent(part));
  } catch {
    return plain(part);
  }
}

/** Whether it refers to another document; those are not fetched. */
export const isElsewhere = ({ $ref }: LooseSchema): boolean =>
  typeof $ref === "string" && !$ref.startsWith("#");

function onlyChoice({ anyOf, oneOf }: LooseSchema): LooseSchema | undefined {
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  const real = choices?.filter((choice) => isObject(choice) && choice.type !== "null");
  return real?.length === 1 && isObject(real[0]) ? real[0] : undefined;
}

/** How a value is edited: by its schema if that says it, else by its current type. */
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

/** A value of another type than its schema says is shown as JSON. */
function fits(kind: FieldKind, value: unknown): boolean {
  if (value === undefined) return kind !== "json";
  return kind === "choice" || kindOfValue(value) === kind;
}

/** The initial value of a field that is added; a schema that contains itself is filled in once. */
export function emptyOf(schema: LooseSchema, root: LooseSchema): unknown {
  return begin(schema, { root, left: maxFilledIn, around: [] });
}

interface FilledIn {
  root: LooseSchema;
  left: number;
  /** The properties of the objects that contain this one. */
  around: readonly unknown[];
}

function begin(schema: LooseSchema, filled: FilledIn): unknown {
  const resolved = resolveSchema(schema, filled.root);
  filled.left--;
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (isElsewhere(resolved)) return null;
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
      if (filled.around.includes(resolved.properties)) return {};
      return beginObject(resolved, filled);
    }
    case "text":
    case "json":
      return "";
  }
}

function beginObject(resolved: LooseSchema, filled: FilledIn): unknown {
  const { properties, required } = fieldsOf(resolved);
  const around = [...filled.around, resolved.properties];
  const entries: [string, unknown][] = [];
  for (const name of required) {
    if (filled.left <= 0) break;
    const inner = { ...filled, around };
    entries.push([name, begin(properties[name] ?? {}, inner)]);
    filled.left = inner.left;
  }
  return Object.fromEntries(entries);
}

/** The named fields of an object's schema, and whether each is required. */
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
    required: required.filter((name) => typeof name === "string" && Object.hasOwn(properties, name)),
  };
}

/** A copy with another value at `path`; undefined removes it. */
export function setAt(value: unknown, path: Path, next: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    const list = [...value];
    if (rest.length === 0 && next === undefined) list.splice(Number(key), 1);
    else list[Number(key)] = setAt(list[Number(key)], rest, next);
    return list;
  }
  const { [key]: _, ...others } = isObject(value) ? value : {};
  const before = ownMember(value, key);
  const inner = setAt(before, rest, next);
  // At its old position, if it has one.
  if (inner === undefined) return others;
  return before === undefined ? { ...others, [key]: inner } : { ...(value as object), [key]: inner };
}

/** The value of a text, by kind; undefined when it has none. */
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

/** A path as text, for keys of a map. */
export const pointer = (path: Path): string => path.map((part) => `/${part}`).join("");

/** Own members only: `constructor` can be the name of an argument too. */
export const ownMember = (value: unknown, name: string | number): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const isScalar = (value: unknown) => typeof value !== "object" || value === null;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What an object holds itself: a field may be called `constructor`, which every object inherits. */
export const ownValue = <Value>(holder: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(holder, name) ? holder[name] : undefined;
