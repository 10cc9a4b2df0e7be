import type { Store } from "@/lib/store/ports";

type Following = Pick<Store, "runs" | "log" | "bus">;
/** Told whether the run may have ended. */
type Wake = (mayHaveEnded: boolean) => void;

const lookMs = 500;

interface Followed {
  readers: Set<Wake>;
  last: number;
  unsubscribe(): void;
}

/**
 * Runs that other processes drive and somebody reads here. Their drivers tell of what they write; as nobody promises that it
 * arrives, there is one look at the database for all of them besides.
 */
class RemoteRuns {
  private readonly followed = new Map<string, Followed>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: Following) {}

  /** `wake` is called when the run may have new events, and again and again once it runs no more. Returns how to end it. */
  follow(runId: string, wake: Wake): () => void {
    const known = this.followed.get(runId) ?? this.begin(runId);
    known.readers.add(wake);
    this.lookLater();
    return () => {
      if (!known.readers.delete(wake) || known.readers.size > 0) return;
      known.unsubscribe();
      this.followed.delete(runId);
    };
  }

  private begin(runId: string): Followed {
    const readers = new Set<Wake>();
    const unsubscribe = this.store.bus.subscribe(`run:${runId}`, (body) => wakeAll(readers, body === "end"));
    const followed = { readers, last: 0, unsubscribe };
    this.followed.set(runId, followed);
    return followed;
  }

  /** Streams that are being read of them. */
  get readers(): number {
    return [...this.followed.values()].reduce((sum, { readers }) => sum + readers.size, 0);
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
      wakeAll(known.readers, !running.has(id));
    }
  }
}

function wakeAll(readers: ReadonlySet<Wake>, mayHaveEnded: boolean): void {
  for (const wake of readers) wake(mayHaveEnded);
}

const byStore = new WeakMap<Following["runs"], RemoteRuns>();

/** Those of this store. */
export function remoteRuns(store: Following): RemoteRuns {
  const known = byStore.get(store.runs) ?? new RemoteRuns(store);
  byStore.set(store.runs, known);
  return known;
}
