import { isRecord, repairSchema, requireKnown, type Schema } from "./repair-schema";

/** A tool's schema for Gemini, which refuses the whole request for one keyword that it does not know. */
export function toGeminiSchema(schema: Schema): Schema {
  const converted = geminiNode(repairSchema(schema), 0);
  return { ...converted, type: "object", properties: converted.properties ?? {} };
}

/** A tool's schema for OpenAI-compatible servers, several of which insist on `properties`. */
export function toOpenAiSchema(schema: Schema): Schema {
  const { $schema: _, $id: __, ...rest } = plainNode(repairSchema(schema), 0) as Schema;
  return { ...rest, type: "object", properties: rest.properties ?? {} };
}

/** A tool's schema for Anthropic, which wants an object at the root and nothing composed there. */
export function toAnthropicSchema(schema: Schema): Schema {
  const { $schema: _, $id: __, anyOf: _anyOf, oneOf: _oneOf, allOf: _allOf, ...rest } = repairSchema(schema);
  return { ...rest, type: "object", properties: rest.properties ?? {} };
}

/** What the Gemini API documents for `parametersJsonSchema`. */
const kept = new Set(
  "$id $anchor type title description enum minItems maxItems minimum maximum required propertyOrdering".split(
    " ",
  ),
);
const formats = new Set(["date-time", "date", "time"]);
const maxDepth = 32;

const geminiNode = (schema: Schema, depth: number): Schema => requireKnown(geminiParts(schema, depth));

/** The names that are required may be those of another part of the whole. */
function geminiParts(schema: Schema, depth: number): Schema {
  if (depth > maxDepth) return {};
  if (schema.$ref === "#") return { type: "object" };
  if (typeof schema.$ref === "string") return { $ref: schema.$ref.replace(/^#\/definitions\//, "#/$defs/") };
  const out: Schema = {};
  for (const part of records(schema.allOf)) mergeInto(out, geminiParts(part, depth + 1));
  const { required: inherited = [] } = out;
  for (const [keyword, value] of Object.entries(schema)) if (kept.has(keyword)) out[keyword] = value;
  // The API has no keyword for defaults: what has one need not be given, and the words say what it is then.
  const properties = asRecord(schema.properties);
  const needed = ((schema.required ?? []) as string[]).filter(
    (name) => asRecord(properties[name]).default === undefined,
  );
  out.required = [inherited, needed].flat();
  if (formats.has(String(schema.format))) out.format = schema.format;
  if (schema.default !== undefined) say(out, `Default: ${shown(schema.default)}.`);
  choices(schema, out);
  bounds(schema, out);
  for (const keyword of ["anyOf", "oneOf", "prefixItems"])
    if (Array.isArray(schema[keyword]))
      out[keyword] = records(schema[keyword]).map((part) => geminiNode(part, depth + 1));
  for (const keyword of ["items", "additionalProperties"]) {
    const value = schema[keyword];
    if (isRecord(value)) out[keyword] = geminiNode(value, depth + 1);
    else if (value === false && keyword === "additionalProperties") out[keyword] = false;
  }
  if (isRecord(schema.properties))
    out.properties = { ...(out.properties as Schema), ...each(schema.properties, depth) };
  const definitions = { ...asRecord(schema.definitions), ...asRecord(schema.$defs) };
  if (Object.keys(definitions).length > 0) out.$defs = each(definitions, depth);
  return out;
}

/** Only texts can be chosen from; what else there is to choose is said in words. */
function choices(schema: Schema, out: Schema): void {
  const values = schema.const !== undefined ? [schema.const] : schema.enum;
  if (!Array.isArray(values)) return;
  delete out.enum;
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length > 0) Object.assign(out, { type: out.type ?? "string", enum: texts });
  const others = values.filter((value) => typeof value !== "string" && value !== null);
  if (others.length > 0) say(out, `One of: ${values.map((value) => JSON.stringify(value)).join(", ")}.`);
}

function say(out: Schema, words: string): void {
  out.description = typeof out.description === "string" ? `${out.description} ${words}` : words;
}

/** The bounds that Gemini knows are inclusive; the tool's own schema is checked before the call in any case. */
function bounds(schema: Schema, out: Schema): void {
  const step = schema.type === "integer" ? 1 : 0;
  if (typeof schema.exclusiveMinimum === "number") out.minimum ??= schema.exclusiveMinimum + step;
  if (typeof schema.exclusiveMaximum === "number") out.maximum ??= schema.exclusiveMaximum - step;
}

function mergeInto(out: Schema, part: Schema): void {
  const { properties, required, ...rest } = part;
  Object.assign(out, rest);
  if (properties) out.properties = { ...asRecord(out.properties), ...asRecord(properties) };
  if (Array.isArray(required))
    out.required = [...(Array.isArray(out.required) ? out.required : []), ...required];
}

/** llama.cpp makes a grammar of the schema and refuses a pattern without both anchors. */
function plainNode(value: unknown, depth: number): unknown {
  if (depth > maxDepth) return {};
  if (Array.isArray(value)) return value.map((item) => plainNode(item, depth + 1));
  if (!isRecord(value)) return value;
  const out: Schema = {};
  for (const [keyword, inner] of Object.entries(value))
    if (!(keyword === "pattern" && typeof inner === "string" && !/^\^.*\$$/.test(inner)))
      out[keyword] = plainNode(inner, depth + 1);
  return requireKnown(out);
}

const maxShown = 500;
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

const each = (schemas: Schema, depth: number): Schema =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isRecord(schema) ? geminiNode(schema, depth + 1) : {},
    ]),
  );
const records = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const asRecord = (value: unknown): Schema => (isRecord(value) ? value : {});
