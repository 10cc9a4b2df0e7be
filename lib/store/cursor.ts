import type { z } from "zod";
import { BadCursorError } from "./errors";

/** The sort key of the last row of a page, opaque to callers. */
export const writeCursor = (key: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(key)).toString("base64url");

/** Throws BadCursorError for anything that the schema of the key does not take. */
export function readCursor<Key>(cursor: string, schema: z.ZodType<Key>): Key {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw new BadCursorError();
  }
}

/** A page out of `limit + 1` rows. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  key: (row: Row) => readonly unknown[],
  toItem: (row: Row) => Item,
): { items: Item[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { items: page.map(toItem), nextCursor: last && rows.length > limit ? writeCursor(key(last)) : null };
}
