import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import type { LogEvent, RunRow } from "@/lib/store/types";
import type { RunDeps } from "./run-deps";

const pageSize = 1000;

/** Everything of a run at once, for the folds over a chain and for `GET /api/runs/:id/events`. */
export async function readWholeLog(deps: Pick<RunDeps, "store">, runId: string): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  while (true) {
    const page = await deps.store.log.read(runId, events.at(-1)?.seq ?? 0, pageSize);
    events.push(...page);
    if (page.length < pageSize) return events;
  }
}

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
  const missing: Chunk[] = [
    ...missingResults(row, result, await readReadable(deps, row.id)),
    { type: "result", result },
  ];
  const lines = missing.map((data, index) => ({ seq: seq + 1 + index, at, data: { ...data, at } }));
  await deps.store.log.append(row.id, lines, true);
  return true;
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

/** What can be read from the start of a log: all of it, or what stands before a damaged line. */
export async function readReadable(deps: Pick<RunDeps, "store" | "log">, runId: string): Promise<LogEvent[]> {
  try {
    return await readWholeLog(deps, runId);
  } catch (err) {
    deps.log.error({ err, runId }, "a line of a run's log cannot be read; what stands before it is kept");
  }
  const events: LogEvent[] = [];
  while (true) {
    const [event] = await deps.store.log.read(runId, events.at(-1)?.seq ?? 0, 1).catch(() => []);
    if (!event) return events;
    events.push(event);
  }
}
