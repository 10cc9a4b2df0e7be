import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import { statusAfter } from "@/lib/protocol/run-status";
import { timeline } from "@/lib/protocol/timeline";
import { newId } from "@/lib/server/ids";
import type { MessageRow, RunRow } from "@/lib/store/types";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";

/** Stores how a live run ended, then tells its readers: the record is the truth, the log may lack its last line. */
export async function finishRun(deps: RunDeps, run: LiveRun, result: AgenticLoopResult): Promise<void> {
  run.end();
  // One time for both, or the page would show another total after a reload.
  const at = Date.now();
  await storeEnd(deps, run.row, run.chunks, result, at);
  await run.write({ type: "result", result, at });
}

/** Status, messages and timeline of an ended run in one transaction. */
export async function storeEnd(
  deps: RunDeps,
  row: RunRow,
  chunks: readonly Chunk[],
  result: AgenticLoopResult,
  endedAt = Date.now(),
): Promise<void> {
  const end = {
    status: statusAfter(result.stopReason),
    endedAt,
    result,
    iterations: timeline(chunks),
  };
  await deps.store.runs.finish(row.id, end, toRows(row, result));
}

/** The delta as messages, each hanging on the one before. */
function toRows(row: RunRow, { historyDelta }: AgenticLoopResult): MessageRow[] {
  let parentId: string | null = row.parentId;
  const createdAt = Date.now();
  return historyDelta.map((message) => {
    const id = newId();
    const stored: MessageRow = {
      id,
      conversationId: row.conversationId,
      parentId,
      message,
      runId: row.id,
      model: row.model,
      clientMessageId: null,
      createdAt,
    };
    parentId = id;
    return stored;
  });
}
