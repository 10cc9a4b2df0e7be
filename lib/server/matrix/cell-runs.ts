import type { PendingRequest } from "@/lib/protocol/chunk";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readAnswerOf } from "@/lib/server/loop/run-tape";
import { readReadable } from "@/lib/server/loop/stored-run";
import type { MatrixRow } from "@/lib/store/kept-types";
import type { RunRow } from "@/lib/store/types";

/** The first and the newest run of a cell's answer. */
export interface CellRuns {
  first: RunRow;
  last: RunRow;
}

/** By position; none for a cell that has not begun, or whose conversation is gone. */
export async function readCellRuns(deps: RunDeps, { cells }: MatrixRow): Promise<Map<number, CellRuns>> {
  const firsts = await deps.store.runs.many(cells.flatMap(({ result }) => result ?? []));
  const byId = new Map(firsts.map((row) => [row.id, row]));
  const found = new Map<number, CellRuns>();
  for (const [position, { result }] of cells.entries()) {
    const first = byId.get(result ?? "");
    if (first) found.set(position, { first, last: await lastOf(deps, first) });
  }
  return found;
}

/** What goes on, waits or is complete, nothing continues. */
async function lastOf(deps: RunDeps, first: RunRow): Promise<RunRow> {
  const isLast =
    first.status === "running" || first.status === "waiting" || first.result?.stopReason === "end_turn";
  return isLast ? first : ((await readAnswerOf(deps, first)).at(-1) ?? first);
}

/** What a run that waits still asks. */
export async function readOpenQuestions(deps: RunDeps, { id }: RunRow): Promise<PendingRequest[]> {
  const log = (await readReadable(deps, id)).map(({ data }) => data);
  return pendingRequests([...log, ...(await deps.store.runs.answers(id))]);
}

/** Whether the question is that of the matrix: its budget is used up. A model without a price is a question of the run. */
export const isOfMatrix = (asked: PendingRequest, matrixId: string): boolean =>
  asked.type === "budget_request" && asked.matrix === matrixId && asked.limit !== "price";

/** What an answer has used until now; what goes on is counted by the budget itself. */
export async function readUsed(
  deps: RunDeps,
  { first, last }: CellRuns,
): Promise<{ tokens: number; cost: number }> {
  const used = { tokens: 0, cost: 0 };
  const runs = first.id === last.id ? [first] : await readAnswerOf(deps, first);
  for (const { result } of runs) {
    used.tokens += (result?.usage.inputTokens ?? 0) + (result?.usage.outputTokens ?? 0);
    used.cost += result?.usage.cost ?? 0;
  }
  return used;
}
