import type { Budget } from "./usage";

/** The limits that a request or the settings can set for a run. */
export interface RunLimits {
  /** Turns of the model. */
  maxIterations?: number;
  /** Of the whole run. */
  timeoutMs?: number;
  /** Until the first word of a turn. */
  firstTokenMs?: number;
  /** Between two pieces of a turn. */
  betweenTokensMs?: number;
  /** Of one tool call; a server's own `timeout` counts beside it. */
  toolTimeoutMs?: number;
  toolExecution?: "parallel" | "sequential";
  /** Of the run and those that continue it. */
  budget?: Budget;
}

/** What a run may take; times in ms. */
export interface RunLimitsInForce {
  /** Turns of the model; an agent counts them for each of its steps. */
  maxIterations: number;
  /** Of a run and those that continue it after a question; waiting for a person does not count. */
  timeoutMs: number;
  /** Of a loop in an agent's file that names no number; null in a chat, which has none. */
  rounds: number | null;
  /** Until the first word of a turn. */
  firstTokenMs: number;
  /** Between two pieces of a turn. */
  betweenTokensMs: number;
  /** Tries of a turn that fails before it has shown anything. */
  attempts: number;
  /** The longest wait between two tries that a provider may ask for; else the run ends at once. */
  retryWaitMs: number;
  /** Turns that make the same calls with the same arguments, or call the same tool that does not exist; the last of them is asked about. */
  repeats: number;
  /** Calls of one turn; the others are answered as not run. */
  callsPerTurn: number;
  callsAtOnce: number;
  /** Of the words and thoughts of one turn; a turn that has more ends there. */
  answerCharacters: number;
  /** Of the arguments of all calls of one turn, as the model writes them. */
  argumentCharacters: number;
  /** Objects and lists within each other, in the arguments of a call. */
  argumentDepth: number;
  /** Of one tool call, whatever its server says; null: nothing is set. */
  toolTimeoutMs: number | null;
  /** Of a call whose server gives no sign of life, where its entry has no `timeout`. */
  silentCallMs: number;
  /** Of a call that tells of progress; waiting for answers does not count. */
  longestCallMs: number;
  /** For the answer to what a server asks during a call. */
  questionMs: number;
  /** Of the text of one result; what is more is cut. */
  resultBytes: number;
  /** Of the images and other files of one result, in base64. */
  resultFileBytes: number;
}

const both = {
  maxIterations: 10,
  firstTokenMs: 90_000,
  betweenTokensMs: 90_000,
  attempts: 3,
  retryWaitMs: 20_000,
  repeats: 3,
  callsPerTurn: 128,
  callsAtOnce: 10,
  answerCharacters: 2_000_000,
  argumentCharacters: 1_000_000,
  argumentDepth: 100,
  toolTimeoutMs: null,
  silentCallMs: 60_000,
  longestCallMs: 600_000,
  questionMs: 24 * 60 * 60_000,
  resultBytes: 1024 * 1024,
  resultFileBytes: 8 * 1024 * 1024,
};

/**
 * The one table of limits: what holds for a chat and for an agent (a workflow) where neither the request nor Settings →
 * Limits says otherwise. docs/agent-loop.md has the same numbers, and `GET /api/settings` those in force.
 */
export const runLimits = {
  chat: { ...both, timeoutMs: 120_000, rounds: null },
  agent: { ...both, timeoutMs: 600_000, rounds: 10 },
} satisfies Record<"chat" | "agent", RunLimitsInForce>;
