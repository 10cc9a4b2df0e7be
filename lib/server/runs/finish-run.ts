import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import type { ChatMessage } from "@/lib/protocol/message";
import { statusAfter } from "@/lib/protocol/run-status";
import { timeline } from "@/lib/protocol/timeline";
import { newMessage } from "@/lib/server/new-rows";
import type { MessageRow, RunRow } from "@/lib/store/types";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";

/**
 * Stores how a live run ended, then tells its readers: the record is the truth, the log may lack its last line. While the
 * store refuses, it is tried again. `added` is what the record has and the log lacks.
 */
export async function finishRun(
  deps: RunDeps,
  run: LiveRun,
  result: AgenticLoopResult,
  added: readonly Chunk[] = [],
): Promise<void> {
  run.end();
  // One time for both, or the page would show another total after a reload.
  const at = Date.now();
  const chunks = [...run.chunks, ...added];
  const onFault = (err: unknown) =>
    deps.log.error({ err, runId: run.row.id }, "the end of a run is not stored yet; it is tried again");
  await run.retry.untilStored(() => storeEnd(deps, run.row, chunks, result, at), onFault);
  const missing: Chunk[] = [...added, { type: "result", result }];
  for (const chunk of missing) await run.retry.untilStored(() => run.write({ ...chunk, at }), onFault);
}

/** Status, messages and timeline of an ended run in one transaction. */
export async function storeEnd(
  deps: RunDeps,
  row: RunRow,
  chunks: readonly Chunk[],
  result: AgenticLoopResult,
  endedAt = Date.now(),
): Promise<void> {
  const { historyDelta, ...rest } = result;
  const end = {
    status: statusAfter(result.stopReason),
    endedAt,
    result: rest,
    iterations: timeline(chunks),
  };
  await deps.store.runs.finish(row.id, end, toRows(row, historyDelta));
}

/** The delta as messages, each hanging on the one before. */
function toRows(
  { id: runId, conversationId, parentId: first, model }: RunRow,
  historyDelta: readonly ChatMessage[],
): MessageRow[] {
  const createdAt = Date.now();
  let parentId = first;
  return historyDelta.map((message) => {
    const row = newMessage({ conversationId, parentId }, message, { runId, model, createdAt });
    parentId = row.id;
    return row;
  });
}
