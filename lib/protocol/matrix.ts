import type { RunStatus } from "./http";
import type { TapeMisses } from "./tape";
import type { Budget, Usage } from "./usage";

/** Of all cells together; one of both at least. */
export type MatrixBudget = Pick<Budget, "tokens" | "cost">;

/**
 * `paused`: the budget is used up, and cells are left. `waiting`: nothing goes on before a person has answered a cell.
 * `completed`: each cell has ended, however it has.
 */
export type MatrixStatus = "running" | "paused" | "waiting" | "stopped" | "completed";

/** `queued`: not begun; `paused`: waits for a larger budget; `gone`: its conversation was deleted; `failed` also when it could not begin. */
export type MatrixCellStatus = RunStatus | "queued" | "paused" | "gone";

/** One recorded question, answered by one model. */
export interface MatrixCell {
  /** The recorded run. */
  runId: string;
  model: string;
  /** The first run of the answer; null as long as there is none. */
  result: string | null;
  /** The newest run of the answer, which is stopped or resumed. */
  last: string | null;
  status: MatrixCellStatus;
  usage: Usage;
  /** US dollars; null where nobody knows the price. */
  cost: number | null;
  /** Time worked, waiting for a person left out. */
  latencyMs: number;
  loops: number;
  calls: number;
  /** Of these, calls that were made as the recording does not have them. */
  sent: number;
  /** Of a completed answer: the same tools with the same arguments in the same order as in the recording. Null before. */
  sameCalls: boolean | null;
  /** Of a completed answer: the same last words, to the character. */
  sameAnswer: boolean | null;
  /** What it asks a person; null where it does not. */
  asks: { kind: "call" | "input" | "step" | "limit"; tool: string | null; limit: string | null } | null;
  error: { code: string; message: string } | null;
  /** Where the answer stands, to be shown in its conversation. */
  conversationId: string | null;
  messageId: string | null;
}

/** A recorded answer that the models answer again. */
export interface MatrixTape {
  runId: string;
  /** First words of the question; empty for one that is gone. */
  question: string;
  model: string | null;
  isGone: boolean;
  usage: Usage;
  cost: number | null;
  calls: number;
}

export interface Matrix {
  id: string;
  createdAt: string;
  status: MatrixStatus;
  tape: TapeMisses;
  budget: MatrixBudget;
  /** What all cells have used. */
  spent: Required<MatrixBudget>;
  unpriced: "ask" | "run";
  tapes: MatrixTape[];
  models: string[];
  /** Those of one recording together, in the order of the models. */
  cells: MatrixCell[];
}
