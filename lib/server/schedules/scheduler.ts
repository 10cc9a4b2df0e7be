import type { ScheduleNote } from "@/lib/protocol/schedules";
import { HttpError } from "@/lib/server/http/errors";
import { isStoreError } from "@/lib/server/http/store-failure";
import { nextTimes } from "@/lib/server/next-time";
import { mayPass } from "@/lib/store/errors";
import type { ScheduleRow } from "@/lib/store/schedule-ports";
import { type AskingDeps, ask, lastRunOf, mayAsk } from "./ask";

/** A time that is longer ago was missed: a restart and a crowd of others may come between. */
const graceMs = 2 * 60_000;
/** Others may have changed a schedule, or have died; and the clock may have been set. */
const mostMs = 15_000;
/** When it is tried again what the store, or a server with too much to do, has refused. */
const againMs = 5_000;
/** For so long one that fails is left alone, and so many are remembered. */
const restMs = 10 * 60_000;
const maxResting = 1_000;
const pageSize = 50;

/** What became of a time: `full` when its person has as much under way as may be, `stopped` when nothing can begin now. */
type Outcome = "asked" | ScheduleNote["code"] | "elsewhere" | "full" | "stopped";

type Counts = Record<"asked" | ScheduleNote["code"], number>;

/**
 * Asks what is due. All instances look, and one of them succeeds: the store takes the run and the next time in one transaction.
 * Until then a time stays due, so that nothing is lost when a process dies.
 */
export class Scheduler {
  /** Since the start. */
  readonly counts: Counts = { asked: 0, late: 0, missed: 0, waiting: 0, running: 0, refused: 0 };
  private timer: NodeJS.Timeout | undefined;
  private pass: Promise<void> = Promise.resolve();
  /** Those that fail, until when. */
  private readonly resting = new Map<string, number>();
  private isAsked = false;
  private isClosed = false;

  constructor(
    private readonly deps: () => AskingDeps,
    private readonly now: () => number = Date.now,
  ) {}

  /** Looks now, and from then on when something is due; resolves when what is due now was seen to. Never rejects. */
  wake(): Promise<void> {
    if (this.isAsked || this.isClosed) return this.pass;
    this.isAsked = true;
    this.pass = this.pass.then(async () => {
      this.isAsked = false;
      clearTimeout(this.timer);
      const waitMs = await this.look().catch((err) => {
        this.deps().log.warn({ err }, "it could not be looked for what is due; it is tried again");
        return againMs;
      });
      if (!this.isClosed) this.timer = setTimeout(() => void this.wake(), waitMs).unref();
    });
    return this.pass;
  }

  /** Begins nothing more; resolves when what was being begun has begun. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.pass;
  }

  /** Sees to all that is due; gives how long nothing is. */
  private async look(): Promise<number> {
    const { store } = this.deps();
    const seen = new Set<string>();
    const full = new Set<string>();
    const until = this.now();
    for (;;) {
      // Those that rest stay due, and the ones behind them are to be found.
      const most = pageSize + this.resting.size;
      const due = await store.schedules.due(until, most, [...full]);
      const fresh = due.filter(({ id }) => !seen.has(id));
      for (const { id, userId } of fresh) {
        if (this.isClosed) return mostMs;
        seen.add(id);
        if (full.has(userId) || (this.resting.get(id) ?? 0) > until) continue;
        const outcome = await this.seeTo(userId, id);
        if (outcome === "stopped") return againMs;
        if (outcome === "full") full.add(userId);
      }
      if (due.length < most || fresh.length === 0) break;
    }
    const soonest = (await store.schedules.soonest()) ?? Number.POSITIVE_INFINITY;
    // What is left of this look waits for others.
    return soonest <= until ? againMs : Math.max(0, Math.min(mostMs, soonest - this.now()));
  }

  private async seeTo(userId: string, id: string): Promise<Outcome> {
    try {
      const row = await this.deps().store.schedules.get(userId, "schedule", id);
      if (!row?.timing || row.nextAt === null || row.nextAt > this.now()) return "elsewhere";
      const outcome = await this.decide(row, row.nextAt, nextTimes(row.timing, this.now(), 1)[0] ?? null);
      if (outcome in this.counts) this.counts[outcome as keyof Counts] += 1;
      return outcome;
    } catch (err) {
      if (mayPass(err)) throw err;
      this.deps().log.error({ err, schedule: id }, "a schedule does not go on; it is tried again");
      if (this.resting.size >= maxResting) this.resting.clear();
      this.resting.set(id, this.now() + restMs);
      return "elsewhere";
    }
  }

  private async decide(row: ScheduleRow, at: number, nextAt: number | null): Promise<Outcome> {
    const deps = this.deps();
    const due = { at, nextAt };
    const passOver = async (code: ScheduleNote["code"], message?: string): Promise<Outcome> => {
      const note = { code, at, ...(message !== undefined && { message }) };
      return (await deps.store.schedules.passOver(row.id, due, note)) ? code : "elsewhere";
    };
    // Nobody is there to read a note.
    if (!(await mayAsk(deps, row.userId))) {
      await deps.store.schedules.passOver(row.id, due, null);
      return "elsewhere";
    }
    const last = await lastRunOf(deps, row);
    if (last?.status === "waiting" || last?.status === "running") return passOver(last.status);
    const isLate = this.now() - at > graceMs;
    if (isLate && row.timing?.missed === "skip") return passOver("missed");
    const note = isLate ? { code: "late" as const, at } : null;
    try {
      await ask(deps, row, row.errand.text, { due, after: row.lastRunId, note });
      return isLate ? "late" : "asked";
    } catch (cause) {
      return this.refused(cause, passOver);
    }
  }

  private refused(
    cause: unknown,
    passOver: (code: ScheduleNote["code"], message: string) => Promise<Outcome>,
  ): Outcome | Promise<Outcome> {
    if (isStoreError(cause) && cause.code === "conflict") return "elsewhere";
    if (!(cause instanceof HttpError)) throw cause;
    // The store has refused it as another instance was first.
    if (cause.code === "run_active") return "elsewhere";
    if (cause.code === "too_many_runs") return "full";
    if (cause.status === 503) return "stopped";
    return passOver("refused", cause.message);
  }
}
