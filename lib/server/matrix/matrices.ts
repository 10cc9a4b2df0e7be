import { SharedBudget } from "@/lib/agent/shared-budget";
import { HttpError } from "@/lib/server/http/errors";
import { isConflict, isStoreError } from "@/lib/server/http/store-failure";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { answerRun } from "@/lib/server/runs/answer-run";
import { rerunRun } from "@/lib/server/runs/rerun-run";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { MatrixRow } from "@/lib/store/kept-types";
import type { RunRow } from "@/lib/store/types";
import { isOfMatrix, readCellRuns, readOpenQuestions, readUsed } from "./cell-runs";
import { KeptFigures } from "./kept-figures";

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
  private readonly budgets = new Map<string, Promise<SharedBudget | undefined>>();
  /** Those that may have something to begin. */
  private readonly open = new Set<string>();
  private pass: Promise<void> = Promise.resolve();
  private isDue = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: () => RunDeps) {}

  /** Goes on with what an earlier process has left, once its runs are recovered. */
  async start(): Promise<void> {
    const { store, log } = this.deps();
    try {
      for (const row of await store.matrices.inState(["open", "stopping"]))
        if (row.state === "open") this.open.add(row.id);
        else await this.endCells(row);
    } catch (err) {
      log.error({ err }, "a matrix was not taken up again");
    }
    void this.look();
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

  /** Ends what runs or waits, for good. Where the process dies on the way, the next start goes on. */
  async stop(row: MatrixRow): Promise<void> {
    await this.deps().store.matrices.setState(row.id, ["open"], "stopping");
    const now = await this.deps().store.matrices.find(row.id);
    if (now?.state === "stopping") await this.endCells(now);
  }

  /** Begins nothing more; resolves when what was being begun has begun. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.pass;
  }

  private look(): Promise<void> {
    if (this.isDue || this.isClosed) return this.pass;
    this.isDue = true;
    this.pass = this.pass.then(async () => {
      this.isDue = false;
      for (const id of this.open)
        await this.advance(id).catch((err) => {
          this.deps().log.error({ err, matrix: id }, "a matrix does not go on; it is tried again");
          this.lookLater();
        });
    });
    return this.pass;
  }

  private lookLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.look();
    }, retryMs).unref();
  }

  private async advance(id: string): Promise<void> {
    const row = await this.deps().store.matrices.find(id);
    const budget = row?.state === "open" ? await this.sharedBudget(id) : undefined;
    if (!row || !budget) {
      this.open.delete(id);
      return;
    }
    const { paused, isOver } = await this.readState(row);
    const queued = row.cells.flatMap(({ result, error }, position) =>
      result === null && error === null ? [position] : [],
    );
    let hasBegun = false;
    while (this.hasPlace(id) && budget.over() === undefined) {
      const run = paused.shift();
      const position = run ? undefined : queued.shift();
      if (run) await this.goOn(run, id);
      else if (position === undefined) break;
      else if (!(await this.begin(row, position))) return;
      hasBegun = true;
    }
    if (queued.length > 0 || this.isLive(id)) return;
    // What has begun has ended or waits already, or was refused.
    if (hasBegun) this.lookLater();
    else if (isOver) {
      this.open.delete(id);
      await this.deps().store.matrices.setState(id, ["open"], "ended");
      this.budgets.delete(id);
    }
  }

  /** What waits for a larger budget, and whether nothing that has begun goes on or waits. */
  private async readState(row: MatrixRow): Promise<{ paused: RunRow[]; isOver: boolean }> {
    const deps = this.deps();
    const paused: RunRow[] = [];
    let isOver = true;
    for (const { last } of (await readCellRuns(deps, row)).values()) {
      if (last.status !== "running" && last.status !== "waiting") continue;
      isOver = false;
      if (last.status === "running") continue;
      const asked = await readOpenQuestions(deps, last);
      if (asked.some((question) => isOfMatrix(question, row.id))) paused.push(last);
    }
    return { paused, isOver };
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

  /** False when nothing more can begin now. */
  private async begin({ id, userId, tape, cells }: MatrixRow, position: number): Promise<boolean> {
    const deps = this.deps();
    const cell = cells[position];
    if (!cell) return false;
    const refuse = (error: { code: string; message: string }) =>
      deps.store.matrices.refuse(id, position, error);
    try {
      const recorded = await deps.store.runs.get(userId, cell.runId);
      if (!recorded) await refuse(gone);
      else await rerunRun(deps, recorded, { model: cell.model, tape }, { matrixId: id, position });
    } catch (cause) {
      // It was stopped meanwhile.
      if (isConflict(cause)) return false;
      if (isStoreError(cause) && cause.code === "not_found") await refuse(gone);
      else if (!(cause instanceof HttpError)) throw cause;
      else if (cause.status === 503) {
        this.lookLater();
        return false;
      } else await refuse(cause.status === 404 ? gone : { code: cause.code, message: cause.message });
    }
    return true;
  }

  /** The larger budget is that of the matrix, so that the run itself is granted nothing. */
  private async goOn(run: RunRow, id: string): Promise<void> {
    const deps = this.deps();
    for (const asked of await readOpenQuestions(deps, run))
      if (asked.type === "budget_request" && isOfMatrix(asked, id))
        await answerRun(deps, run, {
          ...{ requestId: asked.requestId, decision: "more", budget: { [asked.limit]: 0 } },
        }).catch((cause) => {
          // A person was faster, or has stopped it.
          if (!(cause instanceof HttpError) || cause.status === 503) throw cause;
        });
  }

  private async endCells(row: MatrixRow): Promise<void> {
    const deps = this.deps();
    // What was being begun when it was stopped has begun, or never will.
    await this.pass;
    const found = await readCellRuns(deps, (await deps.store.matrices.find(row.id)) ?? row);
    await Promise.all(
      [...found.values()].map(async ({ last }) => {
        if (last.status === "running" || last.status === "waiting") await stopRun(deps, last);
      }),
    );
    await deps.store.matrices.setState(row.id, ["stopping"], "stopped");
    this.open.delete(row.id);
    if (!this.isLive(row.id)) this.budgets.delete(row.id);
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

const gone = { code: "gone", message: "The conversation of this recording was deleted." };
