import { awaitedBy } from "@/lib/server/loop/live-runs";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { RunRow } from "@/lib/store/types";
import type { CallDeps } from "./begin-call";
import { answeredAt, isOver } from "./take-up";

const everyMs = 30_000;
/** Sessions that nobody has used for so long are over; their clients begin new ones. */
const unusedMs = 30 * 24 * 60 * 60_000;

/** Takes back the questions of calls whose programs have left and not called again, and ends sessions that nobody uses. */
export class CallSweep {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly deps: CallDeps) {}

  start(): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => {
      this.looking = this.look().then(() => this.start());
    }, everyMs).unref();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  async look(): Promise<void> {
    const { store, log } = this.deps;
    try {
      for (const row of await store.runs.withStatus("waiting"))
        if (row.options.gateway && (await this.isOver(row))) await stopRun(this.deps, row);
      await store.gatewaySessions.deleteUnused(Date.now() - unusedMs);
    } catch (err) {
      log.warn({ err }, "it could not be looked for calls whose programs have left; it is tried again");
    }
  }

  private async isOver(row: RunRow): Promise<boolean> {
    // Nobody waits for longer, in another process either.
    return !awaitedBy(this.deps.runs, row) && isOver(row, await answeredAt(this.deps, row));
  }
}
