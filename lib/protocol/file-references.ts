/** A place in the arguments of a call that names a file of the conversation, and what the tool wants there. */
export interface FileReference {
  id: string;
  /** JSON Pointer into the arguments. */
  at: string;
  form: FileForm;
}

/** How the schema of a tool takes a file: as base64, as a data URI, or as a path to it. */
export type FileForm = "base64" | "data_uri" | "path";

/** Ids are UUIDs: what looks otherwise is text that happens to begin like a reference. */
const reference = /^attachment:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;
/** The same as a pattern of JSON Schema, which knows no flags. */
export const referencePattern = "^attachment:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

/** What models and people write in place of a file. */
export const referenceTo = (id: string): string => `attachment:${id}`;

/** The id in a text that is exactly a reference. */
export const fileIdIn = (text: string): string | undefined => reference.exec(text)?.[1]?.toLowerCase();

/** Whether a value names a file anywhere; most calls name none, and cost no more than this. */
export function namesFile(value: unknown): boolean {
  if (typeof value === "string") return fileIdIn(value) !== undefined;
  if (Array.isArray(value)) return value.some(namesFile);
  return isObject(value) && Object.values(value).some(namesFile);
}

/** The files that a value names, each once. */
export function fileIdsIn(value: unknown): string[] {
  return [...new Set(findFileReferences(value).map(({ id }) => id))];
}

/** Looked for in one call: far more than it may name. */
const maxReferences = 100;

/** The references in the arguments of a call, and how its schema takes each. */
export function findFileReferences(args: unknown, schema: unknown = {}): FileReference[] {
  const found: FileReference[] = [];
  if (!namesFile(args)) return found;
  visit(args, (text, keys) => {
    const id = fileIdIn(text);
    if (id === undefined || found.length >= maxReferences) return;
    const at = keys.map((key) => `/${escapeKey(`${key}`)}`).join("");
    found.push({ id, at, form: formOf(schema, keys) });
  });
  return found;
}

/** A copy of the arguments with these texts in the places of references. */
export function putInPlaces(
  args: Record<string, unknown>,
  texts: ReadonlyMap<FileReference["at"], string>,
): Record<string, unknown> {
  const copy = (value: unknown, at: string): unknown => {
    if (typeof value === "string") return fileIdIn(value) === undefined ? value : (texts.get(at) ?? value);
    if (Array.isArray(value)) return value.map((item, index) => copy(item, `${at}/${index}`));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, copy(member, `${at}/${escapeKey(key)}`)]),
    );
  };
  return copy(args, "") as Record<string, unknown>;
}

type Keys = readonly (string | number)[];

/** `keys` is the path to the text while `onText` looks at it; one for all of them, as arguments can be deep and wide. */
function visit(value: unknown, onText: (text: string, keys: Keys) => void, keys: (string | number)[] = []) {
  if (typeof value === "string") return onText(value, keys);
  if (!Array.isArray(value) && !isObject(value)) return;
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    keys.push(key);
    visit(member, onText, keys);
    keys.pop();
  }
}

/** Schemas that are looked at for one place: they are foreign, and can refer to themselves. */
const maxSchemas = 500;
const alternatives = ["anyOf", "oneOf", "allOf"];
/** Pydantic writes `format: "base64"`, zod both. */
const isBase64 = ({ contentEncoding, format }: Json) => contentEncoding === "base64" || format === "base64";
const uriFormats: readonly unknown[] = ["uri", "data-uri", "uri-reference"];

function formOf(root: unknown, keys: Keys): FileForm {
  let budget = maxSchemas;
  const all = (schemas: readonly unknown[]): Json[] => {
    const seen = new Set<Json>();
    const queue = [...schemas];
    for (const schema of queue) {
      if (!isObject(schema) || seen.has(schema) || budget-- <= 0) continue;
      seen.add(schema);
      if (typeof schema.$ref === "string") queue.push(resolve(root, schema.$ref));
      for (const keyword of alternatives)
        if (Array.isArray(schema[keyword])) queue.push(...schema[keyword].slice(0, maxSchemas));
    }
    return [...seen];
  };
  let schemas = all([root]);
  for (const key of keys) schemas = all(schemas.map((schema) => memberSchema(schema, key)));
  if (schemas.some(isBase64)) return "base64";
  return schemas.some(({ format }) => uriFormats.includes(format)) ? "data_uri" : "path";
}

function memberSchema(schema: Json, key: string | number): unknown {
  if (typeof key === "string") {
    const { properties, additionalProperties } = schema;
    return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
  }
  const { prefixItems, items, additionalItems } = schema;
  // Before 2020-12 a list of schemas is called `items`.
  const listed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  return listed[key] ?? (Array.isArray(items) ? additionalItems : items);
}

/** Within the schema itself: no other is fetched. */
function resolve(root: unknown, pointer: string): unknown {
  if (pointer !== "#" && !pointer.startsWith("#/")) return undefined;
  return pointer
    .slice(2)
    .split("/")
    .filter((part) => part !== "")
    .reduce((at: unknown, part) => {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(at)) return at[Number(key)];
      return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }, root);
}

const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
