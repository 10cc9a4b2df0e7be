import { api, readFailure, send } from "@/lib/client/http/http";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ListedRun, Page, RunItem } from "@/lib/protocol/http";

/** A chain is not followed further than that. */
export const maxRuns = 500;
/** Of the list of runs; those that are not among them are asked for one by one. */
const pageSize = 200;
/** Logs that are fetched, or wait to be read, at a time. */
const logsAtOnce = 4;

export const getRun = (id: string, signal: AbortSignal): Promise<RunItem> =>
  api<RunItem>(`/api/runs/${encodeURIComponent(id)}`, { signal });

/** The runs that are one answer with this one, oldest first. */
export async function readChain(id: string, signal: AbortSignal): Promise<RunItem[]> {
  const run = await getRun(id, signal);
  const known = new Map([[id, run]]);
  if (run.continues || run.continuedBy)
    for (const item of await listRuns(run, signal)) if (item.id !== id) known.set(item.id, item);
  const read = async (next: string) => known.get(next) ?? (await getRun(next, signal));
  const chain = [run];
  for (let at = run; at.continues && chain.length < maxRuns; chain.unshift(at)) at = await read(at.continues);
  for (let at = run; at.continuedBy && chain.length < maxRuns; chain.push(at))
    at = await read(at.continuedBy);
  const [first = run] = chain;
  // The list does not say where the answer begins.
  return first === run ? chain : [await getRun(first.id, signal), ...chain.slice(1)];
}

/** The loops of runs are in their logs, which are read anyway. */
async function listRuns({ conversationId }: RunItem, signal: AbortSignal): Promise<RunItem[]> {
  const query = new URLSearchParams({ conversation: conversationId, limit: String(pageSize) });
  const { items } = await api<Page<ListedRun>>(`/api/runs?${query}`, { signal });
  return items.map((item) => ({ ...item, iterations: [], answeredCalls: [] }));
}

/** What the log of a run says so far. */
export interface ReadLog {
  chunks: Chunk[];
  /** The number of the last of them. */
  seq: number;
}

type RunStanding = Pick<RunItem, "id" | "status">;

/**
 * The logs of runs in their order, the next ones fetched meanwhile; null for one that cannot be read as a whole. `early` was
 * fetched before it was known how its run stands.
 */
export async function* readLogs(
  runs: readonly RunStanding[],
  signal: AbortSignal,
  early?: { id: string; log: Promise<ReadLog | null> },
): AsyncGenerator<ReadLog | null> {
  const read = async ({ id, status }: RunStanding): Promise<ReadLog | null> => {
    const log = early && id === early.id ? await early.log : null;
    // One that has ended since may have said more.
    const isLate = status !== "running" && status !== "waiting" && log?.chunks.at(-1)?.type !== "result";
    return log && !isLate ? log : readLog(id, signal);
  };
  const reading: Promise<ReadLog | null>[] = [];
  for (let at = 0; at < runs.length; at++) {
    for (const run of runs.slice(reading.length, at + logsAtOnce)) reading.push(read(run).catch(() => null));
    const log = await reading[at];
    delete reading[at];
    yield log ?? null;
  }
}

/** Throws `ApiError`. */
export async function readLog(id: string, signal?: AbortSignal): Promise<ReadLog> {
  const path = `/api/runs/${encodeURIComponent(id)}/events`;
  const response = await send(path, signal ? { signal } : {});
  if (!response.ok) throw await readFailure(response);
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  const events = lines.map((line): { seq: number; data: Chunk } => JSON.parse(line));
  return { chunks: events.map(({ data }) => data), seq: events.at(-1)?.seq ?? 0 };
}
