import { referencePattern } from "./file-references";

/** What a schema says of the characters of a text: of the file that comes in its place, a reference tells nothing. */
const aboutTexts: Readonly<Record<string, "string" | "number">> = {
  maxLength: "number",
  minLength: "number",
  pattern: "string",
  format: "string",
};
/** They hold no schemas. */
const data = ["enum", "const", "default", "examples", "required"];

/**
 * A copy of a schema that takes a reference to a file in place of a text of any length and form; everything else is refused
 * as before. Asked for where there is a reference only, and bounded by the schema.
 */
export function admitReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(admitReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema);
  // By its type, as a property may have the name of a keyword.
  const about = entries.filter(([key, value]) => typeof value === aboutTexts[key]);
  const rest = entries
    .filter((entry) => !about.includes(entry))
    .map(([key, value]) => [key, data.includes(key) ? value : admitReferences(value)] as const);
  const copy: Record<string, unknown> = Object.fromEntries(rest);
  if (about.length === 0) return copy;
  const otherwise = { if: { type: "string", pattern: referencePattern }, else: Object.fromEntries(about) };
  return { ...copy, allOf: [...(Array.isArray(copy.allOf) ? copy.allOf : []), otherwise] };
}
