export type Schema = Record<string, unknown>;

const maxDepth = 32;
/** What is inlined may double at each step. */
const maxNodes = 10_000;

/**
 * A tool's schema as every model API can read it: valid as of 2020-12 and complete in itself. What APIs refuse the whole
 * request for is put right where the meaning stays, and left out where not; a server checks its arguments in any case.
 */
export function repairSchema(schema: Schema): Schema {
  return new SchemaRepair(schema).node(schema, 0, []) as Schema;
}

const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const single = new Set([
  ...["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"],
  ...["additionalItems", "unevaluatedItems", "unevaluatedProperties"],
]);
const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

class SchemaRepair {
  private nodes = 0;

  constructor(private readonly root: Schema) {}

  /** `through`: the references that have led here. */
  node(value: unknown, depth: number, through: readonly string[]): Schema | boolean {
    if (typeof value === "boolean") return value;
    if (!isRecord(value) || depth > maxDepth || ++this.nodes > maxNodes) return {};
    // At the root an object is wanted, and not what leads to one.
    if (typeof value.$ref === "string" && (depth === 0 || !this.keepsReference(value.$ref))) {
      const { $ref: pointer, ...rest } = value;
      return this.inlined(pointer as string, rest, depth, through);
    }
    const out: Schema = {};
    for (const [keyword, inner] of Object.entries(value))
      define(out, keyword, this.keyword(keyword, inner, depth + 1, through));
    return settle(out, value);
  }

  private keyword(keyword: string, inner: unknown, depth: number, through: readonly string[]): unknown {
    if (keyword === "items" && Array.isArray(inner))
      return inner.map((part) => this.node(part, depth, through));
    if (single.has(keyword)) return this.node(inner, depth, through);
    if (lists.has(keyword))
      return Array.isArray(inner) && inner.length > 0
        ? inner.map((part) => this.node(part, depth, through))
        : undefined;
    if (!maps.has(keyword)) return inner;
    if (!isRecord(inner)) return undefined;
    const members: Schema = {};
    for (const [name, part] of Object.entries(inner)) define(members, name, this.node(part, depth, through));
    return members;
  }

  /** To a definition that is there, or to the whole; APIs follow no others. */
  private keepsReference(pointer: string): boolean {
    return (
      pointer === "#" ||
      (/^#\/(?:\$defs|definitions)\/[^/]+$/.test(pointer) && this.find(pointer) !== undefined)
    );
  }

  private inlined(
    pointer: string,
    rest: Schema,
    depth: number,
    through: readonly string[],
  ): Schema | boolean {
    const target = through.includes(pointer) ? undefined : this.find(pointer);
    if (target === undefined) return this.node(rest, depth, through);
    const found = isRecord(target) ? { ...target, ...rest } : target;
    return this.node(found, depth + 1, [...through, pointer]);
  }

  private find(pointer: string): unknown {
    if (!pointer.startsWith("#/")) return undefined;
    let at: unknown = this.root;
    for (const step of pointer.slice(2).split("/")) {
      const name = readStep(step);
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
      at = Reflect.get(at, name);
    }
    return at;
  }
}

const texts = ["title", "description", "format", "pattern", "$comment"];
const numbers = [
  ...["minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems"],
  ...["minProperties", "maxProperties", "minContains", "maxContains"],
];

/** What keywords may hold, and what they say about each other. */
function settle(out: Schema, { type: declared }: Schema): Schema {
  const known = [declared].flat().filter((name) => types.has(name as string)) as string[];
  if (known.length === 0) delete out.type;
  else if (Array.isArray(declared)) out.type = [...new Set(known)];
  for (const keyword of texts) if (typeof out[keyword] !== "string") delete out[keyword];
  for (const keyword of numbers) if (typeof out[keyword] !== "number") delete out[keyword];
  settleItems(out, known);
  settleBounds(out);
  const choices = Array.isArray(out.enum) ? out.enum : [];
  const fitting = choices.filter(
    (value) => known.length === 0 || known.some((name) => isOfType(value, name)),
  );
  if (fitting.length > 0) out.enum = fitting;
  else delete out.enum;
  const required = new Set([out.required ?? []].flat().filter((name) => typeof name === "string"));
  if (required.size > 0) out.required = [...required];
  else delete out.required;
  return out;
}

/** An array has items of some kind, and nothing else has; a list of them was the older way to write a tuple. */
function settleItems(out: Schema, known: readonly string[]): void {
  if (Array.isArray(out.items)) {
    out.prefixItems ??= out.items;
    out.items = out.additionalItems;
  }
  delete out.additionalItems;
  const isArray = known.includes("array");
  if (isArray && !isRecord(out.items)) out.items = {};
  else if (out.items === undefined || (known.length > 0 && !isArray)) delete out.items;
  if (known.length > 0 && !isArray) delete out.prefixItems;
}

/** `exclusiveMinimum: true` beside `minimum`, as it was written up to draft 4. */
function settleBounds(out: Schema): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (out[exclusive] === undefined || typeof out[exclusive] === "number") continue;
    const isExclusive = out[exclusive] === true && typeof out[inclusive] === "number";
    delete out[exclusive];
    if (!isExclusive) continue;
    out[exclusive] = out[inclusive];
    delete out[inclusive];
  }
}

/** The names that are required are those of properties; elsewhere some APIs refuse them. */
export function requireKnown(schema: Schema): Schema {
  const { required, ...rest } = schema;
  if (!Array.isArray(required)) return schema;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const known = required.filter((name) => Object.hasOwn(properties, name));
  return known.length > 0 ? { ...rest, required: known } : rest;
}

export function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

export const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A property may be called `__proto__`. */
function define(target: Schema, name: string, value: unknown): void {
  if (value === undefined) return;
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

function readStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}
