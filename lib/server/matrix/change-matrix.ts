import type { Matrix, MatrixBudget } from "@/lib/protocol/matrix";
import { HttpError } from "@/lib/server/http/errors";
import type { MatrixRow } from "@/lib/store/kept-types";
import type { MatrixDeps } from "./create-matrix";
import { findMatrix, readMatrix, readSpent } from "./read-matrix";

/** Puts this budget in the place of the one before, for all cells, and goes on with those that fit. */
export async function changeBudget(deps: MatrixDeps, row: MatrixRow, budget: MatrixBudget): Promise<Matrix> {
  const spent = await readSpent(deps, row);
  for (const limit of ["tokens", "cost"] as const)
    if ((budget[limit] ?? Number.POSITIVE_INFINITY) <= spent[limit])
      throw new HttpError(
        400,
        "invalid_input",
        `budget.${limit}: as much is used already; name more than that.`,
        { spent },
      );
  if (!(await deps.store.matrices.setBudget(row.id, budget)))
    throw new HttpError(409, "matrix_stopped", "This matrix was stopped; start another one.");
  // Another process that counts it reads it within seconds.
  const shared = await deps.matrices.countedHere(row.id);
  if (shared) shared.budget = budget;
  await deps.matrices.wake(row.id);
  return readMatrix(deps, await findMatrix(deps, row.userId, row.id));
}

export async function stopMatrix(deps: MatrixDeps, row: MatrixRow): Promise<Matrix> {
  await deps.matrices.stop(row);
  return readMatrix(deps, await findMatrix(deps, row.userId, row.id));
}
