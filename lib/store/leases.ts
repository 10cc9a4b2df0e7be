import { setTimeout as sleep } from "node:timers/promises";

/** Work that one process at a time may do. */
export interface Leases {
  /**
   * Undefined while another process has it, or this one already. It is over when it is released, after `mostMs`, and when
   * the others may take this process for dead.
   */
  take(name: string, mostMs: number): Promise<Lease | undefined>;
}

export interface Lease {
  /** To be asked before each step that must not be done twice: a process may have stood still since the last one. */
  isHeld(): boolean;
  /** Never rejects: what cannot be released now is over after `mostMs`, or with this process. */
  release(): Promise<void>;
}

/** Of a database that one process has for itself, which keeps its own work apart. */
export const loneLeases: Leases = {
  take: async () => ({ isHeld: () => true, release: async () => {} }),
};

const lookMs = 100;

interface Times {
  mostMs: number;
  /** For others to release it; 0 to do without. */
  waitMs: number;
}

/** Does the work under a lease; undefined, and nothing is done, where others have it all the time. */
export async function withLease<Result>(
  leases: Leases,
  name: string,
  { mostMs, waitMs }: Times,
  work: (isHeld: () => boolean) => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  const until = performance.now() + waitMs;
  let lease = await leases.take(name, mostMs);
  while (!lease && performance.now() < until) {
    await sleep(lookMs);
    lease = await leases.take(name, mostMs);
  }
  if (!lease) return undefined;
  try {
    return { result: await work(lease.isHeld) };
  } finally {
    await lease.release();
  }
}
