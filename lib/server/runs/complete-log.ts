import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import type { LogEvent, RunEnd, RunRow } from "@/lib/store/types";
import type { RunDeps } from "./run-deps";
import { messagesOf } from "./run-messages";
import { readReadable } from "./whole-log";

/**
 * Writes what a crash between record and log left out: the results that calls got at the end of the run, and the line of
 * its result. Returns whether it did.
 */
export async function completeLog(deps: RunDeps, row: RunRow): Promise<boolean> {
  const { result } = row;
  if (!result || deps.runs.get(row.id)) return false;
  const seq = await deps.store.log.lastSeq(row.id);
  // One that cannot be read is not the result.
  const [last] = seq > 0 ? await deps.store.log.read(row.id, seq - 1, 1).catch(() => []) : [];
  if (last?.data.type === "result") return false;
  const at = row.endedAt ?? Date.now();
  const end = await wholeResult(deps, row, result);
  const missing: Chunk[] = [
    ...missingResults(row, end, await readReadable(deps, row.id)),
    { type: "result", result: end },
  ];
  const lines = missing.map((data, index) => ({ seq: seq + 1 + index, at, data: { ...data, at } }));
  await deps.store.log.append(row.id, lines, true);
  return true;
}

/** The result as the loop gave it. Its messages come from the record: the log lacks what was added at the end. */
async function wholeResult(
  deps: RunDeps,
  row: RunRow,
  { messages, ...result }: RunEnd,
): Promise<AgenticLoopResult> {
  const stored = messages > 0 ? await messagesOf(deps, row) : [];
  return { ...result, historyDelta: stored.slice(0, messages).map(({ message }) => message) };
}

/** A workflow stores whole steps, of which every result is in the log. */
function missingResults(row: RunRow, { historyDelta }: AgenticLoopResult, log: readonly LogEvent[]): Chunk[] {
  if (row.agent) return [];
  const known = new Set(log.flatMap(({ data }) => (data.type === "tool_result" ? data.result.id : [])));
  return historyDelta
    .flatMap((message) => (message.role === "tool" ? message.results : []))
    .filter(({ id }) => !known.has(id))
    .map((result): Chunk => ({ type: "tool_result", result, durationMs: 0 }));
}
