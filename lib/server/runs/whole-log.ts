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

/** Writes the result line that a crash between record and log left out. Returns whether it did. */
export async function completeLog(deps: RunDeps, row: RunRow): Promise<boolean> {
  if (!row.result || deps.runs.get(row.id)) return false;
  const seq = await deps.store.log.lastSeq(row.id);
  const [last] = seq > 0 ? await deps.store.log.read(row.id, seq - 1, 1) : [];
  if (last?.data.type === "result") return false;
  const at = row.endedAt ?? Date.now();
  await deps.store.log.append(
    row.id,
    [{ seq: seq + 1, at, data: { type: "result", result: row.result, at } }],
    true,
  );
  return true;
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
