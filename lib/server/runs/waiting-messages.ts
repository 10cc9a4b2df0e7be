import { awaitPool } from "@/lib/server/loop/await-pool";
import type { LiveRun } from "@/lib/server/loop/live-run";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { deliveredIn, settleQueue } from "@/lib/server/loop/steering";
import { readReadable } from "@/lib/server/loop/stored-run";
import { chainOf } from "@/lib/store/run-chain";
import type { RunRow } from "@/lib/store/types";

/**
 * Settles what waits behind a run that has ended and, when it has completed, asks the first of it. Who waits for the end of
 * the run goes on before that: the question is one more request about the conversation, and takes its turn among them.
 */
export async function goOnToWaiting(deps: RunDeps, run: LiveRun): Promise<void> {
  // How it ended could not be stored; the next start finds out.
  if (run.endedAs === undefined) return;
  const isWaiting = await settleQueue(deps, run).catch((err) => {
    deps.log.error(
      { err, runId: run.row.id },
      "what waits behind a run was not settled; the next start does it",
    );
    return false;
  });
  // While the process shuts down nothing begins; the next start asks it.
  if (!isWaiting || run.endedAs !== "completed" || deps.runs.draining) return;
  const handing = handOver(deps, run.row, askWaiting(deps, run.row, run.chainId));
  run.settle();
  run.next = await handing;
}

/**
 * After a start, asks what waits behind an answer that has completed before it. Servers may still be connecting: the model
 * would be asked without their tools.
 */
export function askAfterStart(deps: RunDeps, row: RunRow, chainId: string): void {
  const isConnecting = () => deps.pool.list().items.some(({ status }) => status === "connecting");
  const asked = awaitPool(deps.pool, isConnecting).then(() => askWaiting(deps, row, chainId));
  void handOver(deps, row, asked);
}

/** Asks what waits behind an answer that has completed, and that somebody has chosen from several. */
export const askChosen = async (deps: RunDeps, row: RunRow, chainId: string): Promise<void> =>
  void (await handOver(deps, row, askWaiting(deps, row, chainId)));

/** Until the promise has settled everybody may know that something is asked behind this run. */
async function handOver(
  { runs: { handing } }: RunDeps,
  { id }: RunRow,
  asked: Promise<string | undefined>,
): Promise<string | undefined> {
  handing.set(id, asked);
  const next = await asked;
  handing.delete(id);
  return next;
}

/** Gives the run that answers what waited. What cannot be asked now stays, and is asked behind the next answer. */
async function askWaiting(deps: RunDeps, row: RunRow, chainId: string): Promise<string | undefined> {
  try {
    return (await deps.askWaiting(row, chainId))?.id;
  } catch (err) {
    deps.runs.stalled.add(row.conversationId);
    deps.log.error(
      { err, runId: row.id },
      "a message that waited could not be asked; it waits for the next answer",
    );
    return undefined;
  }
}

/** The run that was begun with what waited behind this one, which has ended. */
export const nextAfter = async ({ runs, store }: RunDeps, runId: string): Promise<string | undefined> =>
  runs.handing.get(runId) ?? store.queue.askedAfter(runId);

/**
 * Settles what runs have taken by what their logs hold, of chains that nobody goes on with. Gives the ends of completed
 * ones behind which something waits.
 */
export async function settleQueues(deps: RunDeps): Promise<{ row: RunRow; chainId: string }[]> {
  const completed: { row: RunRow; chainId: string }[] = [];
  for (const { chainId, userId } of await deps.store.queue.unsettled())
    try {
      const row = await endOfChain(deps, userId, chainId);
      if (!row || row.status === "running") continue;
      const runIds = await deps.store.queue.takers(chainId);
      const logs = await Promise.all(runIds.map((id) => readReadable(deps, id)));
      const delivered = deliveredIn(logs.flat().map(({ data }) => data));
      const isOver = row.status !== "waiting";
      const isWaiting = await deps.store.queue.settle(chainId, { runIds, delivered, isOver });
      if (isWaiting && row.status === "completed") completed.push({ row, chainId });
    } catch (err) {
      deps.log.error({ err, chainId }, "what waits behind a run was not settled");
    }
  return completed;
}

/** A run that waited will have no other turn: what was for it is asked after it. */
export async function endQueue(
  deps: RunDeps,
  { conversationId, userId, messageId, id }: RunRow,
): Promise<void> {
  for (const { chainId, messageId: question } of await deps.store.queue.waitingIn(conversationId))
    if (question === messageId && (await endOfChain(deps, userId, chainId))?.id === id)
      await deps.store.queue.settle(chainId, { runIds: [], delivered: [], isOver: true });
}

/** The newest run of a chain, by its first one. */
export async function endOfChain(
  { store }: Pick<RunDeps, "store">,
  userId: string,
  chainId: string,
): Promise<RunRow | undefined> {
  const first = await store.runs.get(userId, chainId);
  if (!first) return undefined;
  const runs = await store.runs.ofMessage(first.conversationId, first.messageId);
  return chainOf(runs, chainId).at(-1);
}
