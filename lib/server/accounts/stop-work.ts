import type { BaseDeps } from "@/lib/server/base-deps";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { Matrices } from "@/lib/server/matrix/matrices";
import { endAll, stopRun } from "@/lib/server/runs/stop-run";

export type WorkDeps = RunDeps &
  Pick<BaseDeps, "pool"> & {
    matrices: Pick<Matrices, "stop">;
    temporary: { endOf(userId: string): Promise<void> };
  };

/**
 * Ends what a person has running or waiting: matrices, runs, temporary chats, connections. What cannot be ended keeps
 * nothing else from it, and is thrown at the end.
 */
export async function stopWork(deps: WorkDeps, userId: string): Promise<void> {
  const ends = [
    // The end of a cell would begin the next one.
    stopMatrices(deps, userId).then((faults) => stopRuns(deps, userId).then((more) => [...faults, ...more])),
    // Of these nothing is kept that could be stopped and looked at later.
    all([deps.temporary.endOf(userId)]),
    all([deps.pool.drop(userId)]),
  ];
  const faults = (await Promise.all(ends)).flat();
  if (faults.length > 0) throw new AggregateError(faults);
}

async function stopMatrices({ store, matrices }: WorkDeps, userId: string): Promise<unknown[]> {
  const open = await store.matrices.inState(["open"]);
  return all(open.filter((row) => row.userId === userId).map((row) => matrices.stop(row)));
}

async function stopRuns(deps: WorkDeps, userId: string): Promise<unknown[]> {
  const faults = await all([endAll(deps, { userId })]);
  // One that waits for a sign-in would go on with the next one to that server, whoever's it is.
  const waiting = await deps.store.runs.withStatus("waiting");
  return [
    ...faults,
    ...(await all(waiting.filter((row) => row.userId === userId).map((row) => stopRun(deps, row)))),
  ];
}

/** Why some have failed. */
async function all(work: readonly Promise<unknown>[]): Promise<unknown[]> {
  const ended = await Promise.allSettled(work);
  return ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
}
