import type { z } from "zod";
import type { MatrixBody } from "@/lib/server/contract/matrix";
import { HttpError } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readAnswerOf } from "@/lib/server/loop/run-tape";
import { checkRecorded } from "@/lib/server/runs/rerun-run";
import { findRun } from "@/lib/server/runs/run-item";
import { chooseModel } from "@/lib/server/settings/choose-model";
import type { MatrixRow } from "@/lib/store/kept-types";
import type { Matrices } from "./matrices";

export type MatrixDeps = RunDeps & { matrices: Matrices };

/** Those of a user that go on or wait, and all that are kept. */
const most = { open: 10, kept: 50 };

/** Stores a matrix and begins its first cells. All that can be refused is refused before anything is stored. */
export async function createMatrix(
  deps: MatrixDeps,
  userId: string,
  { runIds, models, tape, budget, unpriced }: z.output<typeof MatrixBody>,
): Promise<string> {
  for (const model of models) await chooseModel(deps, userId, model);
  const answers = new Set<string>();
  for (const runId of runIds) answers.add(await checkTape(deps, userId, runId));
  if (answers.size < runIds.length)
    throw new HttpError(
      400,
      "invalid_input",
      "runIds: two of these runs are of the same answer; name each once.",
    );
  const row: MatrixRow = {
    ...{ id: newId(), userId, tape, budget, state: "open", createdAt: Date.now() },
    goesUnpriced: unpriced === "run",
    cells: runIds.flatMap((runId) => models.map((model) => ({ runId, model, result: null, error: null }))),
  };
  if (!(await deps.runs.admit(() => deps.store.matrices.add(row, most))))
    throw new HttpError(
      409,
      "too_many",
      "Ten matrices go on or wait already; answer what they ask, or stop one.",
    );
  await deps.matrices.wake(row.id);
  return row.id;
}

/** The first run of an answer that can be run again on its recording; a refusal says which run it is about. */
async function checkTape(deps: RunDeps, userId: string, runId: string): Promise<string> {
  try {
    const row = await findRun(deps, userId, runId);
    await checkRecorded(deps, row);
    return (await readAnswerOf(deps, row))[0]?.id ?? row.id;
  } catch (cause) {
    if (!(cause instanceof HttpError)) throw cause;
    const { status, code, message, details } = cause;
    throw new HttpError(status, code, message, { ...(details as object), tape: runId });
  }
}
