import type { ListedRun, RunItem } from "@/lib/protocol/http";
import type { Matrix, MatrixCell } from "@/lib/protocol/matrix";
import type { RunComparison } from "@/lib/protocol/run-comparison";
import { baseOf, callsDiffer } from "./compare-base";

export type CellWord =
  | Exclude<MatrixCell["status"], "completed">
  | "begins"
  | "recorded"
  | "sameCalls"
  | "sameAnswer"
  | "otherAnswer";

/** What a cell is called: how it stands, or how its answer differs from the recorded one. */
export function wordOf({ status, sameCalls, sameAnswer, loops }: MatrixCell): CellWord {
  if (status === "running") return loops === 0 ? "begins" : "running";
  if (status !== "completed") return status;
  if (sameCalls) return sameAnswer ? "recorded" : "sameCalls";
  return sameAnswer ? "sameAnswer" : "otherAnswer";
}

const unended: ReadonlySet<MatrixCell["status"]> = new Set(["queued", "running", "paused", "waiting"]);

export const hasEnded = ({ status }: Pick<MatrixCell, "status">): boolean => !unended.has(status);

/** Positions of the cheapest answer to each recorded question, where there are two to choose from. */
export function findCheapest({ cells, models }: Matrix): ReadonlySet<number> {
  const found = new Set<number>();
  for (let from = 0; from < cells.length; from += models.length) {
    const priced = cells
      .slice(from, from + models.length)
      .flatMap(({ status, cost }, at) => (status === "completed" && cost !== null ? [{ at, cost }] : []));
    const least = Math.min(...priced.map(({ cost }) => cost));
    if (priced.length > 1) for (const { at, cost } of priced) if (cost === least) found.add(from + at);
  }
  return found;
}

export interface ModelTotal {
  latencyMs: number;
  /** US dollars, of the answers with a price; null where none has one. */
  cost: number | null;
  /** Answers that have begun and have no price. */
  unpriced: number;
}

/** What the answers of a model took that have begun; null before one has. */
export function totalOf(cells: readonly MatrixCell[], model: string): ModelTotal | null {
  const begun = cells.filter((cell) => cell.model === model && cell.loops > 0);
  if (begun.length === 0) return null;
  const priced = begun.flatMap(({ cost }) => cost ?? []);
  const sum = (all: readonly number[]) => all.reduce((before, each) => before + each, 0);
  return {
    latencyMs: sum(begun.map(({ latencyMs }) => latencyMs)),
    cost: priced.length > 0 ? sum(priced) : null,
    unpriced: begun.length - priced.length,
  };
}

export type MatrixLimit = "cost" | "tokens";

export interface BudgetView {
  limit: MatrixLimit;
  used: number;
  of: number;
  /** An estimate of what the cells that have not ended still use. */
  expected: number;
}

/** Of the limits of a budget the one that is nearest to its end. */
export function budgetOf(matrix: Matrix): BudgetView {
  const { budget, spent } = matrix;
  const limits = (["cost", "tokens"] as const).flatMap((limit) => {
    const of = budget[limit];
    return of === undefined ? [] : [{ limit, used: spent[limit], of }];
  });
  const [nearest = { limit: "tokens" as const, used: spent.tokens, of: spent.tokens || 1 }] = limits.toSorted(
    (a, b) => b.used / b.of - a.used / a.of,
  );
  return { ...nearest, expected: matrix.status === "stopped" ? 0 : expectedOf(matrix, nearest.limit) };
}

/** As much as other answers of the model took, else what the recorded one did, less what the cell has used already. */
function expectedOf({ cells, tapes }: Matrix, limit: MatrixLimit): number {
  const amountOf = ({ usage, cost }: Pick<MatrixCell, "usage" | "cost">) =>
    limit === "cost" ? (cost ?? 0) : usage.inputTokens + usage.outputTokens;
  const tapeOf = new Map(tapes.map((tape) => [tape.runId, tape]));
  return cells
    .filter((cell) => !hasEnded(cell))
    .reduce((sum, cell) => {
      const others = cells.filter(({ model, status }) => model === cell.model && status === "completed");
      const tape = tapeOf.get(cell.runId);
      const whole =
        others.length > 0
          ? others.reduce((all, other) => all + amountOf(other), 0) / others.length
          : tape
            ? amountOf(tape)
            : 0;
      return sum + Math.max(0, whole - amountOf(cell));
    }, 0);
}

/** The first row of two answers in which their calls differ, else the first in which their words do; null where none does. */
export function firstDifference({ rows, runs }: RunComparison): number | null {
  const ends = runs.map(({ turns }) => turns);
  const calls = rows.findIndex(({ cells: [one, two] }) => callsDiffer(two?.calls ?? [], one?.calls ?? []));
  if (calls >= 0) return calls;
  const words = rows.findIndex(
    ({ cells: [, own] }, at) => own && baseOf(rows, at, 1, ends)?.text !== own.text,
  );
  return words < 0 ? null : words;
}

/**
 * The cell that an arrow leads to, and where a row or the table begins and ends; undefined for other keys, which are the browser's:
 * with Command an arrow goes back a page.
 */
export function cellAfter(
  { key, isFar }: { key: string; isFar: boolean },
  at: number,
  { columns, count }: { columns: number; count: number },
): number | undefined {
  if (isFar && key.startsWith("Arrow")) return undefined;
  const column = at % columns;
  const begin = at - column;
  switch (key) {
    case "ArrowLeft":
      return Math.max(begin, at - 1);
    case "ArrowRight":
      return Math.min(begin + columns - 1, at + 1);
    case "ArrowUp":
      return at >= columns ? at - columns : at;
    case "ArrowDown":
      return at + columns < count ? at + columns : at;
    case "Home":
      return isFar ? 0 : begin;
    case "End":
      return isFar ? count - 1 : begin + columns - 1;
    default:
      return undefined;
  }
}

/**
 * Of listed runs those that can be recorded answers beside this one: ended, continued by none, and one for each question; those of
 * the same conversation first.
 */
export function recordingsBeside(
  run: Pick<RunItem, "id" | "messageId" | "conversationId">,
  items: readonly ListedRun[],
): ListedRun[] {
  const seen = new Set([run.messageId]);
  const ended = items.filter(({ id, messageId, status, continuedBy, matrix }) => {
    const fits = id !== run.id && status === "completed" && !continuedBy && matrix === undefined;
    if (!fits || seen.has(messageId)) return false;
    seen.add(messageId);
    return true;
  });
  const isHere = ({ conversationId }: ListedRun) => conversationId === run.conversationId;
  return [...ended.filter(isHere), ...ended.filter((each) => !isHere(each))];
}

/** The table for a spreadsheet: a head, and a row a cell. */
export function rowsOf({ cells, tapes }: Matrix): string[][] {
  const questions = new Map(tapes.map(({ runId, question }) => [runId, question]));
  const rows = cells.map((cell) => [
    questions.get(cell.runId) ?? "",
    cell.model,
    wordOf(cell),
    ...[cell.loops, cell.calls, cell.sent, cell.latencyMs].map(String),
    ...[cell.usage.inputTokens, cell.usage.outputTokens, cell.cost ?? ""].map(String),
    cell.result ?? "",
  ]);
  return [head, ...rows];
}

const head = [
  ...["question", "model", "outcome", "loops", "calls", "calls_made", "ms"],
  ...["tokens_in", "tokens_out", "cost_usd", "run"],
];
