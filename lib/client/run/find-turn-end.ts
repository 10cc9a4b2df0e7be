import type { Chunk } from "@/lib/protocol/chunk";
import type { LoopView } from "./run-view";

/**
 * The number, from 1, of the event in a run's log that ends the model's turn of a loop; null where the log has no such turn.
 * A turn is known by its calls, and one without any by its words: of equal ones the last.
 */
export function findTurnEnd(log: readonly Chunk[], loop: LoopView): number | null {
  const calls = new Set(loop.items.flatMap((item) => (item.kind === "tool" ? item.id : [])));
  const words = loop.items.map((item) => (item.kind === "text" ? item.text : "")).join("");
  let found: number | null = null;
  let said = "";
  let isAsking = false;
  for (const [at, chunk] of log.entries()) {
    if (chunk.agent !== loop.agent) continue;
    if (chunk.type === "iteration") [said, isAsking] = ["", false];
    // The model starts its turn again.
    else if (chunk.type === "notice" && (chunk.kind === "retry" || chunk.kind === "repair")) isAsking = false;
    else if (chunk.type === "text") said += chunk.content;
    else if (chunk.type === "tool_call") isAsking ||= calls.has(chunk.call.id);
    else if (chunk.type === "usage" && chunk.stopReason && (calls.size > 0 ? isAsking : said === words))
      found = at + 1;
  }
  return found;
}
