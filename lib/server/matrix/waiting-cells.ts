import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { answerRun } from "@/lib/server/runs/answer-run";
import { mayPass } from "@/lib/store/errors";
import type { RunRow } from "@/lib/store/types";
import { isOfMatrix, readOpenQuestions } from "./cell-runs";

/** Runs that are remembered; those beyond are read again. */
const maxKnown = 1_000;

/** Goes on with cells that wait for a larger budget. */
export class WaitingCells {
  /** Those that ask a person alone. What a run that waits has asked stays as it is, so each log is read once. */
  private readonly personal = new Set<string>();

  /** Whether it goes on. Throws what may pass; what else goes wrong is logged, so that others go on. */
  async goOn(deps: RunDeps, run: RunRow, matrixId: string): Promise<boolean> {
    if (this.personal.has(run.id)) return false;
    try {
      return await this.answer(deps, run, matrixId);
    } catch (cause) {
      const isRefused = cause instanceof HttpError;
      if (mayPass(cause) || (isRefused && cause.status === 503)) throw cause;
      // Else a person was faster, or has stopped it.
      if (!isRefused)
        deps.log.error({ err: cause, matrix: matrixId, runId: run.id }, "a paused cell does not go on");
      return false;
    }
  }

  /** The larger budget is that of the matrix, so that the run itself is granted nothing. */
  private async answer(deps: RunDeps, run: RunRow, matrixId: string): Promise<boolean> {
    let isAnswered = false;
    for (const asked of await readOpenQuestions(deps, run)) {
      if (asked.type !== "budget_request" || !isOfMatrix(asked, matrixId)) continue;
      await answerRun(deps, run, {
        ...{ requestId: asked.requestId, decision: "more", budget: { [asked.limit]: 0 } },
      });
      isAnswered = true;
    }
    if (!isAnswered) this.remember(run.id);
    return isAnswered;
  }

  private remember(runId: string): void {
    if (this.personal.size >= maxKnown) this.personal.clear();
    this.personal.add(runId);
  }
}
