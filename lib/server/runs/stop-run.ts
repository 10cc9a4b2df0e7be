import { setTimeout as sleep } from "node:timers/promises";
import { LoopStop } from "@/lib/agent/ports";
import type { ToolCallId } from "@/lib/protocol/ids";
import { HttpError } from "@/lib/server/http/errors";
import { isConflict } from "@/lib/server/http/store-failure";
import { awaitEnd } from "@/lib/server/loop/end-retry";
import type { LiveRun } from "@/lib/server/loop/live-run";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { lastMessageOf } from "@/lib/server/loop/stored-run";
import type { RunGroup } from "@/lib/store/ports";
import type { RunRow } from "@/lib/store/types";
import { askOwner, atOwner, isHeldElsewhere } from "./at-owner";
import { denyOpenCalls } from "./close-waiting";

/** The loop ends at once when its signal fires; this is for a store that hangs. */
const stopWithinMs = 1000;
const idlePollMs = 20;

/**
 * Ends a run and the calls it has sent, whichever process drives it; resolves when that is stored, after a second at most where
 * another one does. One that waits is closed, one that has ended stays.
 */
export async function stopRun(deps: RunDeps, row: RunRow): Promise<void> {
  const live = await findLive(deps, row);
  if (!live) await stopElsewhere(deps, row);
  const status = await stopHere(deps, row, live);
  // It waited, and was answered meanwhile: by now another process may go on with it.
  if (status === "completed") await stopElsewhere(deps, row);
}

/** The same for what this process drives, and for a run that waits. Gives what the run was in between. */
export async function stopHere(
  deps: RunDeps,
  row: RunRow,
  known?: LiveRun,
): Promise<RunRow["status"] | undefined> {
  const live = known ?? (await findLive(deps, row));
  if (live) await endStored(live);
  // It may just have begun to wait.
  const status = await deps.turns.run(row.conversationId, () => endWait(deps, row));
  // An answer that came after the first look may have started the run that continues it.
  const next = await findContinuing(deps, row);
  if (next) await endStored(next);
  return status;
}

const findLive = async (deps: RunDeps, row: RunRow): Promise<LiveRun | undefined> =>
  deps.runs.get(row.id) ?? (await findContinuing(deps, row));

/** Has other processes end the run, or those that continue it. What has not ended after a second ends when they get to it. */
async function stopElsewhere(deps: RunDeps, row: RunRow): Promise<void> {
  if (!deps.store.commands) return;
  if (isHeldElsewhere(deps, row)) await askOwner(deps, row.id, "stop", null, stopWithinMs);
  for (const run of await deps.store.runs.runningOf({ conversationId: row.conversationId }))
    if (!deps.runs.get(run.id) && (run.id === row.id || (await continues(deps, run, row.id))))
      await askOwner(deps, run.id, "stop", null, stopWithinMs);
}

/**
 * Ends the wait of a run; nothing is done when it does not wait, or somebody else has ended it first. Gives the status that it
 * had, and has where somebody was first.
 */
export async function endWait(deps: RunDeps, { id, userId }: RunRow): Promise<RunRow["status"] | undefined> {
  const row = await deps.store.runs.get(userId, id);
  if (row?.status !== "waiting") return row?.status;
  try {
    await denyOpenCalls(deps, row, await lastMessageOf(deps, row));
    return row.status;
  } catch (cause) {
    if (!isConflict(cause)) throw cause;
    return (await deps.store.runs.get(userId, id))?.status;
  }
}

/** Ends a live run; resolves when its end is stored, or when that takes too long. 503 when the store refuses it. */
async function endStored(live: LiveRun): Promise<void> {
  live.abort.abort(new LoopStop("aborted"));
  await Promise.race([awaitEnd(live), new Promise((resolve) => setTimeout(resolve, stopWithinMs).unref())]);
}

/** The same for a run that goes with its conversation: nobody needs its end. */
export const endLive = (live: LiveRun): Promise<void> => endStored(live).catch(() => {});

/** The same for all runs of a conversation or of a person, whichever process drives them. */
export async function endAll(deps: RunDeps, of: RunGroup): Promise<void> {
  const isOf = ({ row }: LiveRun) =>
    "userId" in of ? row.userId === of.userId : row.conversationId === of.conversationId;
  await Promise.all(deps.runs.all().filter(isOf).map(endLive));
  if (!deps.store.commands) return;
  const elsewhere = (await deps.store.runs.runningOf(of)).filter(({ id }) => !deps.runs.get(id));
  await Promise.all(
    elsewhere.map(({ id }) => askOwner(deps, id, "stop", null, stopWithinMs).catch(() => {})),
  );
}

/** A page that has not heard of the answer yet stops the run by its old id. */
async function findContinuing(deps: RunDeps, { id, conversationId }: RunRow): Promise<LiveRun | undefined> {
  for (const live of deps.runs.ofConversation(conversationId))
    if (await continues(deps, live.row, id)) return live;
  return undefined;
}

/** Whether it goes on from this run, perhaps over others in between. */
async function continues({ store }: RunDeps, run: RunRow, id: string): Promise<boolean> {
  let before = run.continues;
  while (before && before !== id) before = (await store.runs.get(run.userId, before))?.continues ?? null;
  return before === id;
}

/** Gives up one call of a live run: its server is told, the model reads that its outcome is unknown, and the run continues. */
export const cancelCall = (deps: RunDeps, row: RunRow, callId: string): Promise<null> =>
  atOwner(deps, row, { kind: "cancel_call", body: { callId } }, () => cancelHere(deps, row, callId));

/** The same for a run that no other process drives. */
export async function cancelHere({ runs, inFlight }: RunDeps, { id }: RunRow, callId: string): Promise<null> {
  const isOpen = runs.get(id)?.chain.open.get(callId as ToolCallId)?.sent;
  if (!isOpen || !inFlight.has(callId))
    throw new HttpError(409, "not_running", "This call has already ended.");
  inFlight.release(callId);
  return null;
}

/** Nothing new starts; what runs or is just beginning gets `ms` to end by itself, and is marked interrupted then. */
export async function drainRuns({ runs }: Pick<RunDeps, "runs">, ms: number): Promise<void> {
  runs.draining = true;
  for (const title of runs.titling.values()) title.abort();
  await untilIdle(runs, ms);
  for (const { abort } of runs.all()) abort.abort(new LoopStop("interrupted"));
  await untilIdle(runs, stopWithinMs);
}

async function untilIdle(runs: RunDeps["runs"], ms: number): Promise<void> {
  const until = performance.now() + ms;
  for (let left = ms; left > 0 && !runs.isIdle; left = until - performance.now())
    await sleep(Math.min(left, idlePollMs));
}
