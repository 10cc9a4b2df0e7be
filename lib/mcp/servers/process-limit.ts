/** A local server as the limit sees it. */
export interface Tenant {
  /** Since when nobody has used it (`performance.now()`); undefined while it may not be put to sleep. */
  readonly idleSince: number | undefined;
  /** Somebody waits for it. */
  readonly inUse: boolean;
  sleep(why: string): void;
}

interface Berth {
  tenant: Tenant;
  life: AbortSignal;
}

/**
 * At most so many processes of servers at once. For one more, the server that nobody has used for longest goes to sleep;
 * where all are in use, the start waits.
 */
export class Berths {
  private readonly taken = new Set<Berth>();
  private queue: (Berth & { admit(leave: () => void): void })[] = [];

  constructor(private readonly max: number) {}

  /** Resolves, when there is room, with what has to be called once the process has ended; rejects when the signal fires. */
  take(tenant: Tenant, life: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const giveUp = () => {
      this.queue = this.queue.filter((other) => other !== entry);
      reject(life.reason);
    };
    const admit = (leave: () => void) => {
      life.removeEventListener("abort", giveUp);
      resolve(leave);
    };
    const entry = { tenant, life, admit };
    if (life.aborted) giveUp();
    else {
      life.addEventListener("abort", giveUp, { once: true });
      this.queue.push(entry);
      this.settle();
    }
    return promise;
  }

  isQueued(tenant: Tenant): boolean {
    return this.queue.some((entry) => entry.tenant === tenant);
  }

  /** Why a server that is queued cannot be used now. */
  refusal(name: string): string {
    return `${name} sleeps and cannot be started now: as many local servers are in use as may run at once (${this.max}). Try again when a call has ended, or raise MCP_MAX_PROCESSES.`;
  }

  /** To be called whenever a server may have become idle. */
  settle(): void {
    while (this.queue.length > 0 && this.taken.size < this.max) this.admitNext();
    const leaving = [...this.taken].filter(({ life }) => life.aborted).length;
    for (let short = this.queue.length - leaving; short > 0; short--) {
      const tenant = this.longestIdle();
      if (!tenant) return;
      tenant.sleep("Sleeps to make room for another server; the next use starts it.");
    }
  }

  /** Those that somebody waits for come before those that are only to be listed. */
  private admitNext(): void {
    const at = Math.max(
      0,
      this.queue.findIndex(({ tenant }) => tenant.inUse),
    );
    const [entry] = this.queue.splice(at, 1);
    if (!entry) return;
    const berth = { tenant: entry.tenant, life: entry.life };
    this.taken.add(berth);
    entry.admit(() => {
      this.taken.delete(berth);
      this.settle();
    });
  }

  private longestIdle(): Tenant | undefined {
    let longest: Tenant | undefined;
    for (const { tenant, life } of this.taken) {
      if (life.aborted || tenant.idleSince === undefined) continue;
      if (longest?.idleSince === undefined || tenant.idleSince < longest.idleSince) longest = tenant;
    }
    return longest;
  }
}
