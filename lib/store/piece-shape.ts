import type { Chunk } from "@/lib/protocol/chunk";

/** What pieces of one kind have in common, besides their content; what is read has its fields in the order written. */
export interface Shape {
  fields: Record<string, string>;
  keys: readonly string[];
}

export const toShape = (fields: Record<string, string>): Shape => ({ fields, keys: Object.keys(fields) });

/** The shape of a piece, its time left out; undefined for every other chunk. */
export function shapeOf({ at: _, ...fields }: Chunk): Shape | undefined {
  const isPiece = "content" in fields && Object.values(fields).every((value) => typeof value === "string");
  return isPiece ? toShape(fields as unknown as Record<string, string>) : undefined;
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
