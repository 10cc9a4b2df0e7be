import type { PendingRequest } from "@/lib/protocol/chunk";
import type { Matrix, MatrixCell, MatrixCellStatus, MatrixStatus, MatrixTape } from "@/lib/protocol/matrix";
import { notFound } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readAnswerOf } from "@/lib/server/loop/run-tape";
import type { MatrixCellRow, MatrixRow } from "@/lib/store/kept-types";
import { type CellRuns, isOfMatrix, readCellRuns, readOpenQuestions, readUsed } from "./cell-runs";
import type { MatrixDeps } from "./create-matrix";
import type { AnswerFigures } from "./kept-figures";

export async function findMatrix(deps: RunDeps, userId: string, id: string): Promise<MatrixRow> {
  const row = await deps.store.matrices.get(userId, id);
  if (!row) throw notFound("matrix");
  return row;
}

/** A matrix with its cells. Logs are read of what goes on or waits, and once of what has ended. */
export async function readMatrix(deps: MatrixDeps, row: MatrixRow): Promise<Matrix> {
  const tapes = new Map<string, Tape>();
  for (const { runId } of row.cells)
    if (!tapes.has(runId)) tapes.set(runId, await readTape(deps, row.userId, runId));
  const runs = await readCellRuns(deps, row);
  const cells: MatrixCell[] = [];
  for (const [position, cell] of row.cells.entries())
    cells.push(await readCell(deps, row, cell, { tape: tapes.get(cell.runId), runs: runs.get(position) }));
  const spent = await readSpent(deps, row, runs);
  return {
    ...{ id: row.id, createdAt: new Date(row.createdAt).toISOString(), tape: row.tape },
    status: statusOf(row, cells, isUsedUp(row.budget, spent)),
    ...{ budget: row.budget, spent, unpriced: row.goesUnpriced ? "run" : "ask" },
    tapes: [...tapes.values()].map(({ told }) => told),
    models: [...new Set(row.cells.map(({ model }) => model))],
    cells,
  };
}

/** As it is counted while cells run; in sum from the store afterwards. */
export async function readSpent(
  deps: MatrixDeps,
  row: MatrixRow,
  runs?: ReadonlyMap<number, CellRuns>,
): Promise<Matrix["spent"]> {
  const counted = row.state === "open" ? await deps.matrices.countedHere(row.id) : undefined;
  if (counted) return { ...counted.used };
  const spent = { tokens: 0, cost: 0 };
  for (const each of (runs ?? (await readCellRuns(deps, row))).values()) {
    const { tokens, cost } = await readUsed(deps, each);
    spent.tokens += tokens;
    spent.cost += cost;
  }
  return spent;
}

const isUsedUp = ({ tokens, cost }: Matrix["budget"], spent: Matrix["spent"]): boolean =>
  (tokens !== undefined && spent.tokens >= tokens) || (cost !== undefined && spent.cost >= cost);

function statusOf({ state }: MatrixRow, cells: readonly MatrixCell[], isOver: boolean): MatrixStatus {
  if (state === "stopping" || state === "stopped") return "stopped";
  const some = (status: MatrixCellStatus) => cells.some((cell) => cell.status === status);
  if (isOver && (some("queued") || some("paused"))) return "paused";
  if (some("running") || some("queued") || some("paused")) return "running";
  return some("waiting") ? "waiting" : "completed";
}

interface Tape {
  told: MatrixTape;
  /** None of one that is gone. */
  figures?: AnswerFigures;
}

const nothing = { inputTokens: 0, outputTokens: 0 };

async function readTape(deps: MatrixDeps, userId: string, runId: string): Promise<Tape> {
  const row = await deps.store.runs.get(userId, runId);
  if (!row)
    return {
      told: { runId, question: "", model: null, isGone: true, usage: nothing, cost: null, calls: 0 },
    };
  const last = (await readAnswerOf(deps, row)).at(-1) ?? row;
  const figures = await deps.matrices.figures.of(deps, row, last);
  const { question, usage, cost, calls } = figures;
  return { told: { runId, question, model: last.model, isGone: false, usage, cost, calls }, figures };
}

async function readCell(
  deps: MatrixDeps,
  matrix: MatrixRow,
  { runId, model, result, error }: MatrixCellRow,
  { tape, runs }: { tape: Tape | undefined; runs: CellRuns | undefined },
): Promise<MatrixCell> {
  const none = {
    ...{
      runId,
      model,
      result,
      last: null,
      usage: nothing,
      cost: null,
      latencyMs: 0,
      loops: 0,
      calls: 0,
      sent: 0,
    },
    ...{ sameCalls: null, sameAnswer: null, asks: null, error, conversationId: null, messageId: null },
  };
  if (!runs) return { ...none, status: statusOfNone(matrix, { result, error }, tape) };
  const { first, last } = runs;
  const figures = await deps.matrices.figures.of(deps, first, last);
  const { usage, cost, latencyMs, loops, calls, sent } = figures;
  const asked = last.status === "waiting" ? await readOpenQuestions(deps, last) : [];
  // What only the matrix can answer is no question to a person.
  const own = asked.filter((question) => !isOfMatrix(question, matrix.id));
  const recorded = last.status === "completed" ? tape?.figures : undefined;
  return {
    ...{ ...none, last: last.id, usage, cost, latencyMs, loops, calls, sent, error: figures.error },
    status: asked.length > 0 && own.length === 0 ? "paused" : last.status,
    sameCalls: recorded ? recorded.callsKey === figures.callsKey : null,
    sameAnswer: recorded ? recorded.answerKey === figures.answerKey : null,
    asks: own[0] ? toAsks(own[0]) : null,
    ...{ conversationId: first.conversationId, messageId: first.messageId },
  };
}

function statusOfNone(
  { state }: MatrixRow,
  { result, error }: Pick<MatrixCellRow, "result" | "error">,
  tape: Tape | undefined,
): MatrixCellStatus {
  if (result !== null || error?.code === "gone" || tape?.told.isGone) return "gone";
  if (error) return "failed";
  return state === "open" ? "queued" : "stopped";
}

function toAsks(asked: PendingRequest): NonNullable<MatrixCell["asks"]> {
  switch (asked.type) {
    case "approval_request":
      return { kind: "call", tool: asked.call.name, limit: null };
    case "input_request":
      return { kind: "input", tool: null, limit: null };
    case "budget_request":
      return { kind: "limit", tool: null, limit: asked.limit };
    case "step_request":
      return { kind: "step", tool: asked.kind === "tool" ? asked.payload.name : null, limit: null };
  }
}
