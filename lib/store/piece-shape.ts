import type { Chunk } from "@/lib/protocol/chunk";

/** What pieces of one kind have in common, besides their content; what is read has its fields in the order written. */
export interface Shape {
  fields: Record<string, string>;
  keys: readonly string[];
}

export const toShape = (fields: Record<string, string>): Shape => ({ fields, keys: Object.keys(fields) });

/**
 * The shape of a piece, its time left out; undefined for every other chunk. A field without a value is none: JSON has no
 * such fields, and what is read must have the shape of what was written.
 */
export function shapeOf({ at: _, ...all }: Chunk): Shape | undefined {
  if (!("content" in all)) return undefined;
  const fields: Record<string, string> = {};
  for (const [key, value] of Object.entries<unknown>(all)) {
    if (typeof value === "string") fields[key] = value;
    else if (value !== undefined) return undefined;
  }
  return toShape(fields);
}

/** Whether a chunk is a piece of this shape, without a time. */
export function isPieceOf({ fields, keys }: Shape, chunk: Chunk): chunk is Chunk & { content: string } {
  const values = chunk as unknown as Record<string, unknown>;
  let index = 0;
  for (const key in values) {
    if (key !== keys[index++]) return false;
    if (key === "content" ? typeof values[key] !== "string" : values[key] !== fields[key]) return false;
  }
  return index === keys.length;
}
