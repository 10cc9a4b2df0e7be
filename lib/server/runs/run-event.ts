import type { RunEvent } from "@/lib/protocol/sse";
import type { RunRow } from "@/lib/store/types";
import { originOf } from "./run-item";

/** How the stream of a run begins for a reader that has seen its events up to `seq`. */
export const toRunEvent = (row: RunRow, seq: number): RunEvent => ({
  runId: row.id,
  conversationId: row.conversationId,
  messageId: row.messageId,
  ...(row.continues && { continues: row.continues }),
  ...(!row.continues && row.options.rerun && { rerun: row.options.rerun }),
  ...forkOf(row),
  seq,
});

function forkOf(row: RunRow): Pick<RunEvent, "forkedFrom"> {
  const origin = originOf(row);
  return origin ? { forkedFrom: { runId: origin.runId, seq: origin.seq } } : {};
}
