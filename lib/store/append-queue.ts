import { StoreError } from "./errors";
import type { EventRecord } from "./prepare-inserts";

/** Events that may wait; many times what all live runs together have under way. */
export const maxWaiting = 5000;

/** Puts the appends of many runs into few commits, in the order in which they came. */
export interface AppendQueue {
  /** Resolves when the records are committed, together with all others of this turn of the event loop. */
  add(records: readonly EventRecord[]): Promise<void>;
  /** Does `work` when all that was added before is committed, and before anything that is added later. */
  after(work: () => Promise<unknown>): Promise<void>;
}

interface Append extends PromiseWithResolvers<void> {
  records: readonly EventRecord[];
}

/** `insert` makes one commit, all or none. When it fails, each append is committed separately, so that one cannot spoil the others. */
export function openAppendQueue(insert: (records: readonly EventRecord[]) => Promise<void>): AppendQueue {
  let gathered: Append[] = [];
  let waiting = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = (work: () => Promise<unknown>): Promise<unknown> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  const flush = (): void => {
    if (gathered.length === 0) return;
    const appends = gathered;
    gathered = [];
    void inTurn(() => commit(insert, appends));
  };
  return {
    async add(records) {
      if (waiting >= maxWaiting)
        throw new StoreError("busy", `The run log has ${waiting} events waiting to be stored; try again.`);
      if (gathered.length === 0) setImmediate(flush);
      const append = { records, ...Promise.withResolvers<void>() };
      gathered.push(append);
      waiting += records.length;
      try {
        await append.promise;
      } finally {
        waiting -= records.length;
      }
    },
    async after(work) {
      flush();
      await inTurn(work);
    },
  };
}

/** Settles every append; never rejects itself. */
async function commit(
  insert: (records: readonly EventRecord[]) => Promise<void>,
  appends: readonly Append[],
): Promise<void> {
  try {
    await insert(appends.flatMap(({ records }) => records));
    for (const { resolve } of appends) resolve();
  } catch (cause) {
    const [only] = appends;
    if (appends.length === 1) only?.reject(cause);
    else for (const append of appends) await commit(insert, [append]);
  }
}
