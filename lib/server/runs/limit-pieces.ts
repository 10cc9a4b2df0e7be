import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";

/** Characters of one call's arguments that are told while they are written; the call itself comes whole. */
const maxWritten = 65_536;

/**
 * Gives the chunk that goes into the log, or nothing in place of arguments beyond what anybody reads along. Not in the
 * adapter: to the time-outs each piece is a sign of life.
 */
export function limitPieces(): <C extends Chunk>(chunk: C) => C | undefined {
  const written = new Map<ToolCallId, number>();
  return (chunk) => {
    if (chunk.type === "tool_call") written.delete(chunk.call.id);
    if (chunk.type !== "tool_input") return chunk;
    const before = written.get(chunk.id) ?? 0;
    const after = before + chunk.content.length;
    written.set(chunk.id, after);
    if (after <= maxWritten) return chunk;
    return before < maxWritten
      ? { ...chunk, content: chunk.content.slice(0, maxWritten - before) }
      : undefined;
  };
}
