import type { ConversationItem } from "@/lib/protocol/http";

/** As many rows are drawn, or left out of drawing, together: about 25, and never more than these. */
const maxChunk = 100;
/** Of the ids, that many end a chunk. */
const endsOneIn = 25;

/**
 * Not each 25 rows: one that comes at the top would then move a row from each chunk to the next. The ids are random, and some
 * of them end a chunk, so that a row that comes or goes changes the chunk it is in.
 */
export function chunksOf(
  items: readonly ConversationItem[],
): { key: string; items: readonly ConversationItem[] }[] {
  const chunks: { key: string; items: ConversationItem[] }[] = [];
  let chunk: ConversationItem[] = [];
  let key = "first";
  for (const item of items) {
    if (chunk.length === 0) chunks.push({ key, items: chunk });
    chunk.push(item);
    if (chunk.length < maxChunk && Number.parseInt(item.id.slice(-3), 16) % endsOneIn !== 0) continue;
    key = item.id;
    chunk = [];
  }
  return chunks;
}
