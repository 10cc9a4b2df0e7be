import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";
import { findOwn, findStrays, recover, takeOver } from "./recover-runs";

const lookMs = 1_000;
/** Between two looks at the own runs; one that is a stray at both is nobody's. */
const longestMs = 10_000;

/**
 * Gives runs that nobody goes on with their end: those of processes that are gone, within seconds, and those of this process
 * whose begin or end was lost on the way. Reading and ending them is done one after the other.
 */
export class RunSweep {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private strays: string[] = [];
  private ownAt = performance.now();
  private isClosed = false;

  constructor(
    private readonly deps: RunDeps,
    private readonly ownMs = longestMs,
  ) {}

  start(): void {
    if (this.isClosed) return;
    const { mayBeMany } = this.deps.store.members;
    const afterMs = mayBeMany ? Math.min(lookMs, this.ownMs) : this.ownMs;
    this.timer = setTimeout(() => {
      this.looking = this.look().then(() => this.start());
    }, afterMs).unref();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    const { log } = this.deps;
    try {
      const cut = [...(await takeOver(this.deps)), ...(await this.findOwn())];
      if (cut.length === 0) return;
      await recover(this.deps, cut);
      log.warn({ runs: cut.length }, "runs that nobody went on with are marked interrupted");
    } catch (err) {
      // While the database is away nobody can take anything over.
      log.warn({ err }, "it could not be looked for runs that nobody goes on with; it is tried again");
    }
  }

  private async findOwn(): Promise<RunRow[]> {
    if (performance.now() - this.ownAt < this.ownMs) return [];
    this.ownAt = performance.now();
    const before = this.strays;
    this.strays = await findStrays(this.deps);
    return findOwn(
      this.deps,
      this.strays.filter((id) => before.includes(id)),
    );
  }
}
