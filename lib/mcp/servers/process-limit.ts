/** A local server as the limit sees it. */
export interface LimitedProcess {
  /** Since when it has not been used (`performance.now()`); undefined while it may not be put to sleep. */
  readonly idleSince: number | undefined;
  /** A use of it is under way, or waits for its start. */
  readonly inUse: boolean;
  sleep(why: string): void;
}

interface Admitted {
  process: LimitedProcess;
  /** Fires when the process is to end. */
  signal: AbortSignal;
}

/**
 * At most `max` server processes run at the same time. To make room for another one, the server that has been idle for
 * longest is put to sleep; when all are in use, the start waits.
 */
export class ProcessLimit {
  private readonly running = new Set<Admitted>();
  private queue: (Admitted & { admit(release: () => void): void })[] = [];

  constructor(private readonly max: number) {}

  /** Resolves, when there is room, with a function to call once the process has ended; rejects when the signal fires. */
  acquire(process: LimitedProcess, signal: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const giveUp = () => {
      this.queue = this.queue.filter((other) => other !== entry);
      reject(signal.reason);
    };
    const admit = (release: () => void) => {
      signal.removeEventListener("abort", giveUp);
      resolve(release);
    };
    const entry = { process, signal, admit };
    if (signal.aborted) giveUp();
    else {
      signal.addEventListener("abort", giveUp, { once: true });
      this.queue.push(entry);
      this.rebalance();
    }
    return promise;
  }

  isQueued(process: LimitedProcess): boolean {
    return this.queue.some((entry) => entry.process === process);
  }

  /** Why a server that is queued cannot be used now. */
  refusal(name: string): string {
    return `${name} is idle and cannot be started now: as many local servers are in use as may run at once (${this.max}). Try again when a call has ended, or raise MCP_MAX_PROCESSES.`;
  }

  /** To be called whenever a server may have become idle. */
  rebalance(): void {
    while (this.queue.length > 0 && this.running.size < this.max) this.admitNext();
    const ending = [...this.running].filter(({ signal }) => signal.aborted).length;
    for (let short = this.queue.length - ending; short > 0; short--) {
      const process = this.longestIdle();
      if (!process) return;
      process.sleep("Sleeps to make room for another server; the next use starts it.");
    }
  }

  /** A server that is in use comes before one that only has to be listed. */
  private admitNext(): void {
    const at = Math.max(
      0,
      this.queue.findIndex(({ process }) => process.inUse),
    );
    const [entry] = this.queue.splice(at, 1);
    if (!entry) return;
    const admitted = { process: entry.process, signal: entry.signal };
    this.running.add(admitted);
    entry.admit(() => {
      this.running.delete(admitted);
      this.rebalance();
    });
  }

  private longestIdle(): LimitedProcess | undefined {
    let longest: LimitedProcess | undefined;
    for (const { process, signal } of this.running) {
      if (signal.aborted || process.idleSince === undefined) continue;
      if (longest?.idleSince === undefined || process.idleSince < longest.idleSince) longest = process;
    }
    return longest;
  }
}
