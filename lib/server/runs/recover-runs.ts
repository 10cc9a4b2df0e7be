import { openCalls } from "@/lib/protocol/open-calls";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { readChain, readPast } from "@/lib/server/loop/chain";
import { cutShort, stoppedNotes, storeEnd } from "@/lib/server/loop/end-run";
import { intentMissing } from "@/lib/server/loop/gateway-intent";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { completeLog, readReadable, readWholeLog } from "@/lib/server/loop/stored-run";
import type { RunRow } from "@/lib/store/types";
import type { Outcome } from "./at-owner";
import { continueAnswered } from "./start-run";
import { askAfterStart, settleQueues } from "./waiting-messages";

/** Events at the end of a log, in which a run that waits has asked what it waits for. */
const tailSize = 64;

/**
 * Gives every run that a crash cut short its one result, `interrupted`, with what its log holds. Calls that were sent
 * are "outcome unknown". One that a person has stopped meanwhile through another process is stopped. A run that waits and has
 * all its answers is continued, and what waits behind a completed one is asked. Called at the start, before anything new runs; resolves with how many runs were interrupted.
 */
export async function recoverRuns(deps: RunDeps): Promise<number> {
  const own = await findOwn(deps, await findStrays(deps));
  const cut = [...own, ...(await takeOver(deps))];
  await recover(deps, cut);
  return cut.length;
}

/** Of processes that are gone. */
export async function takeOver({ store, runs }: RunDeps): Promise<RunRow[]> {
  const taken = await store.runs.takeOver();
  runs.counts.takenOver += taken.length;
  return taken;
}

/** The same of data on which no application runs: the ends alone, nothing goes on. */
export async function endCutRuns(deps: EndDeps): Promise<number> {
  const cut = await deps.store.runs.takeOver();
  for (const row of cut) await orTell(deps, row, recoverRun(deps, row, false));
  return cut.length;
}

type EndDeps = Pick<RunDeps, "store"> & {
  runs: Pick<RunDeps["runs"], "get">;
  log: Pick<RunDeps["log"], "error">;
};

/** Runs of this process that nobody drives: how they began or ended could not be stored, or nobody knows. */
export async function findStrays({ store, runs }: RunDeps): Promise<string[]> {
  return (await store.runs.driven()).filter((id) => !runs.get(id));
}

export async function findOwn({ store }: RunDeps, ids: readonly string[]): Promise<RunRow[]> {
  if (ids.length === 0) return [];
  return (await store.runs.withStatus("running")).filter(({ id }) => ids.includes(id));
}

/** Each belongs to this process, and goes on nowhere. */
export async function recover(deps: RunDeps, cut: readonly RunRow[]): Promise<void> {
  const stopped = await refuseOpen(deps, cut);
  for (const row of cut) await orTell(deps, row, recoverAsked(deps, row, stopped.get(row.id) ?? []));
  // Before anything goes on, as it may take messages of its chain.
  const ended = await settleQueues(deps);
  const waiting = await deps.store.runs.withStatus("waiting");
  const lasts = await deps.store.log.lastSeqs(waiting.map(({ id }) => id));
  for (const row of waiting) await orTell(deps, row, goOn(deps, row, lasts.get(row.id) ?? 0));
  for (const { row, chainId } of ended) askAfterStart(deps, row, chainId);
}

/** One that cannot be mended must keep nobody from starting. */
const orTell = (deps: Pick<EndDeps, "log">, { id }: RunRow, work: Promise<void>): Promise<void> =>
  work.catch((err) => deps.log.error({ err, runId: id }, "a run was not recovered"));

async function goOn(deps: RunDeps, row: RunRow, last: number): Promise<void> {
  // Thousands may wait, and what is open where a log ends is open.
  const tail = await deps.store.log.read(row.id, Math.max(0, last - tailSize), tailSize);
  if (pendingRequests(tail.map(({ data }) => data)).length > 0) return;
  const log = (await readWholeLog(deps, row.id)).map(({ data }) => data);
  await continueAnswered(deps, row, log);
}

/** Refuses what was asked of a process that is gone, but Stop: gives the ids of those by run. */
async function refuseOpen(deps: RunDeps, cut: readonly RunRow[]): Promise<Map<string, string[]>> {
  const open = (await deps.store.commands?.open(cut.map(({ id }) => id))) ?? [];
  const stops = new Map<string, string[]>();
  for (const { id, runId, kind } of open)
    if (kind === "stop") stops.set(runId, [...(stops.get(runId) ?? []), id]);
    else await settle(deps, id, { error: interrupted });
  return stops;
}

/** What was to be stopped is, with the end that it gets now. */
async function recoverAsked(deps: RunDeps, row: RunRow, stops: readonly string[]): Promise<void> {
  await recoverRun(deps, row, stops.length > 0);
  for (const id of stops) await settle(deps, id, { answer: null });
}

const settle = async ({ store }: RunDeps, id: string, outcome: Outcome): Promise<void> =>
  store.commands?.settle(id, JSON.stringify(outcome));

const interrupted = {
  status: 409,
  code: "run_interrupted",
  message:
    "The process that wrote this answer is gone, so the answer was interrupted; continue it, then try again.",
};

async function recoverRun(deps: EndDeps, row: RunRow, isStopped: boolean): Promise<void> {
  const events = await readReadable(deps, row.id);
  const isDamaged = (await deps.store.log.lastSeq(row.id)) > (events.at(-1)?.seq ?? 0);
  const logged = events.map(({ data }) => data);
  const intent = intentMissing(row, logged);
  const chunks = [...logged, ...intent];
  const last = chunks.at(-1);
  if (last?.type === "result") return storeEnd(deps, row, chunks, last.result);
  const { rows } = await deps.store.messages.branch(row.conversationId, row.parentId);
  const base = rows.map(({ message }) => message);
  const { open } = await readChain(deps, row, readReadable);
  const past = row.agent === null ? [] : await readPast(deps, row, readReadable);
  const before = { open: openCalls(intent, open), past };
  const { result, added } = cutShort(row, base, chunks, before, {
    stopReason: isStopped ? "aborted" : "interrupted",
    notes: stoppedNotes,
    isDamaged,
  });
  await storeEnd(deps, row, [...chunks, ...added], result);
  const ended = await deps.store.runs.get(row.userId, row.id);
  if (ended) await completeLog(deps, ended, true);
}
