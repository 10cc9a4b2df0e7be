import { setTimeout as sleep } from "node:timers/promises";
import { LoopStop } from "@/lib/agent/ports";
import type { ToolCallId } from "@/lib/protocol/ids";
import { HttpError } from "@/lib/server/http/errors";
import { isConflict } from "@/lib/server/http/store-failure";
import { awaitEnd } from "@/lib/server/loop/end-retry";
import type { LiveRun } from "@/lib/server/loop/live-run";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { lastMessageOf } from "@/lib/server/loop/stored-run";
import type { RunRow } from "@/lib/store/types";
import { denyOpenCalls } from "./close-waiting";

/** The loop ends at once when its signal fires; this is for a store that hangs. */
const stopWithinMs = 1000;
const idlePollMs = 20;

/** Ends a run and the calls it has sent; resolves when that is stored. One that waits is closed, one that has ended stays. */
export async function stopRun(deps: RunDeps, row: RunRow): Promise<void> {
  const live = deps.runs.get(row.id) ?? (await findContinuing(deps, row));
  if (live) await endStored(live);
  // It may just have begun to wait.
  await deps.turns.run(row.conversationId, () => endWait(deps, row));
  // An answer that came after the first look may have started the run that continues it.
  const next = await findContinuing(deps, row);
  if (next) await endStored(next);
}

/** Ends the wait of a run; nothing is done when it does not wait, or somebody else has ended it first. */
export async function endWait(deps: RunDeps, { id, userId }: RunRow): Promise<void> {
  const row = await deps.store.runs.get(userId, id);
  if (row?.status !== "waiting") return;
  await denyOpenCalls(deps, row, await lastMessageOf(deps, row)).catch((cause) => {
    if (!isConflict(cause)) throw cause;
  });
}

/** Ends a live run; resolves when its end is stored, or when that takes too long. 503 when the store refuses it. */
async function endStored(live: LiveRun): Promise<void> {
  live.abort.abort(new LoopStop("aborted"));
  await Promise.race([awaitEnd(live), new Promise((resolve) => setTimeout(resolve, stopWithinMs).unref())]);
}

/** The same for a run that goes with its conversation: nobody needs its end. */
export const endLive = (live: LiveRun): Promise<void> => endStored(live).catch(() => {});

/** A page that has not heard of the answer yet stops the run by its old id. */
async function findContinuing(
  deps: RunDeps,
  { id, userId, conversationId }: RunRow,
): Promise<LiveRun | undefined> {
  for (const live of deps.runs.ofConversation(conversationId)) {
    let before = live.row.continues;
    while (before && before !== id) before = (await deps.store.runs.get(userId, before))?.continues ?? null;
    if (before === id) return live;
  }
  return undefined;
}

/** Gives up one call of a live run: its server is told, the model reads that its outcome is unknown, and the run continues. */
export function cancelCall({ runs, inFlight }: RunDeps, { id }: RunRow, callId: string): void {
  const isOpen = runs.get(id)?.chain.open.get(callId as ToolCallId)?.sent;
  if (!isOpen || !inFlight.has(callId))
    throw new HttpError(409, "not_running", "This call has already ended.");
  inFlight.release(callId);
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
