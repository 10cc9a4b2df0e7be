import type { Store } from "@/lib/store/ports";

type Following = Pick<Store, "runs" | "log">;

const lookMs = 500;

interface Followed {
  readers: Set<() => void>;
  last: number;
}

/** Runs that other processes drive and somebody reads here: one look at the database for all of them. */
class RemoteRuns {
  private readonly followed = new Map<string, Followed>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: Following) {}

  /** `wake` is called when the run has new events, and again and again once it runs no more. Returns how to end it. */
  follow(runId: string, wake: () => void): () => void {
    const known = this.followed.get(runId) ?? { readers: new Set(), last: 0 };
    this.followed.set(runId, known);
    known.readers.add(wake);
    this.lookLater();
    return () => {
      known.readers.delete(wake);
      if (known.readers.size === 0 && this.followed.get(runId) === known) this.followed.delete(runId);
    };
  }

  private lookLater(): void {
    if (this.timer || this.followed.size === 0) return;
    this.timer = setTimeout(async () => {
      // While the database is away there is nothing new.
      await this.look().catch(() => {});
      this.timer = undefined;
      this.lookLater();
    }, lookMs).unref();
  }

  private async look(): Promise<void> {
    const ids = [...this.followed.keys()];
    const running = new Set(await this.store.runs.stillRunning(ids));
    const lasts = await this.store.log.lastSeqs(ids);
    for (const id of ids) {
      const known = this.followed.get(id);
      const last = lasts.get(id) ?? 0;
      if (!known || (last === known.last && running.has(id))) continue;
      known.last = last;
      for (const wake of known.readers) wake();
    }
  }
}

const byStore = new WeakMap<Following["runs"], RemoteRuns>();

/** Those of this store. */
export function remoteRuns(store: Following): RemoteRuns {
  const known = byStore.get(store.runs) ?? new RemoteRuns(store);
  byStore.set(store.runs, known);
  return known;
}
