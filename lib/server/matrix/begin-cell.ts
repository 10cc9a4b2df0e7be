import { HttpError } from "@/lib/server/http/errors";
import { failureOfStore, isConflict, isStoreError } from "@/lib/server/http/store-failure";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { rerunRun } from "@/lib/server/runs/rerun-run";
import { mayPass } from "@/lib/store/errors";
import type { MatrixRow } from "@/lib/store/kept-types";

/**
 * What became of it: `settled` when it has begun, or is refused for good; `held` when it cannot begin yet; `full` when none can;
 * `stopped` when none may any more.
 */
type Begun = "settled" | "held" | "full" | "stopped";

/** Throws what may pass with the store. What else goes wrong is told by the cell, so that those behind it begin. */
export async function beginCell(
  deps: RunDeps,
  { id, userId, tape, cells }: MatrixRow,
  position: number,
): Promise<Begun> {
  const cell = cells[position];
  if (!cell) return "settled";
  const refuse = async ({ code, message }: { code: string; message: string }): Promise<Begun> => {
    await deps.store.matrices.refuse(id, position, { code, message });
    return "settled";
  };
  try {
    const recorded = await deps.store.runs.get(userId, cell.runId);
    if (!recorded) return await refuse(gone);
    await rerunRun(deps, recorded, { model: cell.model, tape }, { matrixId: id, position });
    return "settled";
  } catch (cause) {
    if (mayPass(cause)) throw cause;
    // It was stopped meanwhile.
    if (isConflict(cause)) return "stopped";
    if (isStoreError(cause) && cause.code === "not_found") return refuse(gone);
    if (cause instanceof HttpError) {
      if (cause.status === 503 || cause.code === "too_many_runs") return "full";
      // A person has resumed what is recorded.
      if (cause.code === "run_active") return "held";
      return refuse(cause.status === 404 ? gone : cause);
    }
    deps.log.error({ err: cause, matrix: id, position }, "a cell of a matrix cannot begin");
    return refuse(failureOfStore(cause) ?? internal);
  }
}

const gone = { code: "gone", message: "The conversation of this recording was deleted." };
const internal = { code: "internal", message: "Something went wrong on our side; the log says more." };
