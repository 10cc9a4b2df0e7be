import type { Logger } from "pino";
import type { LogEvent, RunLog } from "@/lib/store/types";

interface LogDeps {
  store: { log: Pick<RunLog, "read"> };
}

const pageSize = 1000;

/** Everything of a run at once, for the folds over a chain and for `GET /api/runs/:id/events`. */
export async function readWholeLog(deps: LogDeps, runId: string): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  while (true) {
    const page = await deps.store.log.read(runId, events.at(-1)?.seq ?? 0, pageSize);
    events.push(...page);
    if (page.length < pageSize) return events;
  }
}

/** What can be read from the start of a log: all of it, or what stands before a damaged line. */
export async function readReadable(
  deps: LogDeps & { log: Pick<Logger, "error"> },
  runId: string,
): Promise<LogEvent[]> {
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
