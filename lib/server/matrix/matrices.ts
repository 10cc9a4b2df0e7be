import { SharedBudget } from "@/lib/agent/shared-budget";
import { isStoreError } from "@/lib/server/http/store-failure";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { MatrixRow } from "@/lib/store/kept-types";
import type { RunRow } from "@/lib/store/types";
import { beginCell } from "./begin-cell";
import { readCellRuns, readUsed } from "./cell-runs";
import { DrivenMatrices } from "./driven-matrices";
import { KeptFigures } from "./kept-figures";
import { WaitingCells } from "./waiting-cells";

/** Cells of one matrix that run at once, and of all. What a person answers by hand goes on at once and counts here too. */
const maxAtOnce = 4;
const maxTogether = 8;
/** When it is tried again what the store, or a server with too much to do, has refused. */
const retryMs = 5_000;

/**
 * Begins the cells of matrices, one after another, as places become free and as long as their budget lasts. What has begun is a
 * run as any other one: what becomes of it is said by its row. So a start finds what is left to begin in the store.
 */
export class Matrices {
  /** What was read of ended answers. */
  readonly figures = new KeptFigures();
  private readonly waiting = new WaitingCells();
  private readonly budgets = new Map<string, Promise<SharedBudget | undefined>>();
  /** Those that may have something to begin, or to end. */
  private readonly open = new Set<string>();
  private pass: Promise<void> = Promise.resolve();
  private isDue = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly driven: DrivenMatrices;

  constructor(
    private readonly deps: () => RunDeps,
    private readonly againMs = retryMs,
  ) {
    this.driven = new DrivenMatrices(() => deps().store, againMs);
  }

  /** Goes on with what an earlier process has left, once its runs are recovered; of several processes with what others leave. */
  async start(): Promise<void> {
    const { store, log } = this.deps();
    try {
      for (const { id } of await store.matrices.inState(["open", "stopping"])) this.open.add(id);
    } catch (err) {
      log.error({ err }, "no matrix was taken up again");
    }
    void this.look();
    if (store.members.mayBeMany)
      this.driven.survey((ids) => {
        for (const id of ids) this.open.add(id);
        return this.look();
      });
  }

  /** A run has ended: if it was a cell, there is a place for another one. */
  noteEnd({ options }: RunRow): void {
    if (options.matrix !== undefined) void this.wake(options.matrix);
  }

  /** Resolves when what can begin now has begun. Never rejects: what fails is logged and tried again. */
  wake(id: string): Promise<void> {
    this.open.add(id);
    return this.look();
  }

  /** The same where this process counts it: what cells use in another one is known when they have ended. */
  async countedHere(id: string): Promise<SharedBudget | undefined> {
    return this.driven.has(id) || this.isLive(id) ? this.sharedBudget(id) : undefined;
  }

  /** Undefined without such a matrix. Counted from the store once, and by the runs from then on. */
  sharedBudget(id: string): Promise<SharedBudget | undefined> {
    const known = this.budgets.get(id);
    if (known) return known;
    const opened = this.countUsed(id);
    this.budgets.set(id, opened);
    opened.then(
      (budget) => budget ?? this.budgets.delete(id),
      () => this.budgets.delete(id),
    );
    return opened;
  }

  /** Ends what runs or waits, for good. Where that fails or the process dies on the way, it is tried again. */
  async stop(row: MatrixRow): Promise<void> {
    const { matrices } = this.deps().store;
    // Of one that is over, a person may have resumed a cell.
    const isOver = (await this.newestRuns(row)).every(hasEnded);
    await matrices.setState(row.id, isOver ? ["open"] : ["open", "ended", "stopped"], "stopping");
    const now = await matrices.find(row.id);
    if (now?.state !== "stopping") return;
    // What runs ends at once; what was being begun has begun, or never will, when it is looked at.
    await this.endCells(now).finally(() => this.wake(row.id));
  }

  /** Begins nothing more; resolves when what was being begun has begun. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.pass;
    await this.driven.close();
  }

  private look(): Promise<void> {
    if (this.isDue || this.isClosed) return this.pass;
    this.isDue = true;
    this.pass = this.pass.then(async () => {
      this.isDue = false;
      for (const id of [...this.open]) {
        // Who wakes it from now on adds it again.
        this.open.delete(id);
        await this.advance(id).catch((err) => this.noteFault(id, err));
      }
    });
    return this.pass;
  }

  private noteFault(id: string, err: unknown): void {
    this.deps().log.error({ err, matrix: id, isTriedAgain: !isBroken(err) }, "a matrix does not go on");
    if (isBroken(err)) this.driven.noteBroken(id);
    else {
      this.open.add(id);
      this.lookLater();
    }
  }

  private lookLater(): void {
    if (this.isClosed) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.look();
    }, this.againMs).unref();
  }

  private async advance(id: string): Promise<void> {
    const { matrices } = this.deps().store;
    // What is counted here is not what another process has counted.
    const isOurs = await this.driven.take(id, () => this.isLive(id) || this.budgets.delete(id));
    const row = isOurs ? await matrices.find(id) : undefined;
    if (row?.state === "open") {
      if (await this.beginCells(row)) await matrices.setState(id, ["open"], "ended");
      else this.open.add(id);
    } else if (row?.state === "stopping") {
      await this.endCells(row);
      await matrices.setState(id, ["stopping"], "stopped");
    }
    if (!this.open.has(id)) await this.driven.release(id);
    // Of one that is over it is counted again where a person resumes a cell.
    if (!this.open.has(id) && !this.isLive(id)) this.budgets.delete(id);
  }

  /** Begins as many as may; whether all of them have ended. */
  private async beginCells(row: MatrixRow): Promise<boolean> {
    const { id } = row;
    const deps = this.deps();
    const budget = await this.sharedBudget(id);
    if (!budget) return false;
    // It may have been changed at another process.
    budget.budget = row.budget;
    const newest = await this.newestRuns(row);
    const waiting = newest.filter(({ status }) => status === "waiting");
    const queued = row.cells.flatMap(({ result, error }, position) =>
      result === null && error === null ? [position] : [],
    );
    let hasBegun = false;
    while (this.driven.has(id) && this.hasPlace(id) && budget.over() === undefined) {
      const run = waiting.shift();
      const position = run ? undefined : queued.shift();
      if (run) hasBegun = (await this.waiting.goOn(deps, run, id)) || hasBegun;
      else if (position === undefined) break;
      else {
        const begun = await beginCell(deps, row, position);
        if (begun === "held" || begun === "full") this.lookLater();
        if (begun === "full" || begun === "stopped") return false;
        hasBegun = true;
      }
    }
    if (this.isLive(id)) return false;
    // What has begun has ended or waits already, or was refused; or there was no place, and no end of a cell says when there is.
    if (hasBegun || (waiting.length + queued.length > 0 && budget.over() === undefined)) this.lookLater();
    return !hasBegun && queued.length === 0 && newest.every(hasEnded);
  }

  private hasPlace(id: string): boolean {
    const { runs } = this.deps();
    if (this.isClosed || runs.draining || runs.deleting) return false;
    const cells = runs.all().filter(({ row }) => row.options.matrix !== undefined);
    return (
      cells.length < maxTogether && cells.filter(({ row }) => row.options.matrix === id).length < maxAtOnce
    );
  }

  private isLive(id: string): boolean {
    return this.deps()
      .runs.all()
      .some(({ row }) => row.options.matrix === id);
  }

  /** One that is damaged cannot be ended, and keeps no other one from it. */
  private async endCells(row: MatrixRow): Promise<void> {
    const deps = this.deps();
    const noteBroken = (err: unknown) => {
      if (!isBroken(err)) throw err;
      deps.log.error({ err, matrix: row.id }, "a cell of a matrix was not ended");
    };
    const going = (await this.newestRuns(row)).filter((run) => !hasEnded(run));
    await Promise.all(going.map((run) => stopRun(deps, run).catch(noteBroken)));
  }

  /** The newest run of each cell that has begun. */
  private async newestRuns(row: MatrixRow): Promise<RunRow[]> {
    return [...(await readCellRuns(this.deps(), row)).values()].map(({ last }) => last);
  }

  private async countUsed(id: string): Promise<SharedBudget | undefined> {
    const deps = this.deps();
    const row = await deps.store.matrices.find(id);
    if (!row) return undefined;
    const used = { tokens: 0, cost: 0 };
    for (const runs of (await readCellRuns(deps, row)).values()) {
      const { tokens, cost } = await readUsed(deps, runs);
      used.tokens += tokens;
      used.cost += cost;
    }
    return new SharedBudget({ id, used, budget: row.budget, goesUnpriced: row.goesUnpriced });
  }
}

const isBroken = (cause: unknown): boolean => isStoreError(cause) && cause.code === "broken_row";

const hasEnded = ({ status }: RunRow): boolean => status !== "running" && status !== "waiting";
