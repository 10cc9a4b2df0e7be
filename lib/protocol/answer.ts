import type { ToolCallId } from "./ids";
import type { StepBounds } from "./plan";
import type { SentParams } from "./sent-request";
import type { Budget } from "./usage";

/** Answers to a question about a call, a budget or a step; what each one does is in `questions.ts`. */
export type Decision =
  | "approve"
  | "approve_run"
  | "approve_always"
  | "approve_server"
  | "approve_reads"
  | "deny"
  | "done"
  | "retry"
  | "skip"
  | "more"
  | "finish"
  | "stop"
  | "step"
  | "run_on";

/** Answers to a question of a server (MCP elicitation). */
export type InputAction = "accept" | "decline" | "cancel";

/** A person's answer to a question of a run. */
export interface Answer {
  decision?: Decision;
  /** Edited arguments, with `approve`. */
  args?: Record<string, unknown>;
  /** The reason of a `deny`, the outcome of a `done`. */
  text?: string;
  /** By how much limits are raised, with `more`; by their own amount unless it says. */
  budget?: Budget;
  /** What a person leaves of a plan, with `approve`; all of it unless it says. */
  plan?: { steps: StepBounds[] };
  /** With `approve`: the call belongs to the plan from now on. */
  addToPlan?: true;
  /** The plan with this id holds no more; answers no question. */
  takesBack?: string;
  /** What was changed of the call, with `step` and `run_on`. */
  payload?: StepEdit;
  /** What a server has asked for; with `approve` what the model of a program has written for it in place of ours. */
  input?: { action: InputAction; content?: Record<string, unknown> };
}

/** What a person changes of a call that waits in step mode; what is not named stays. */
export interface StepEdit {
  system?: string;
  params?: Pick<SentParams, "effort" | "temperature" | "maxOutputTokens">;
  /** Names of the tools that stay. */
  tools?: string[];
  /** Goes into the history before the turn, as the person's. */
  message?: string;
  /** What the model reads of calls that it has made. */
  results?: { id: ToolCallId; text: string }[];
  /** Of a tool call; all others are of a model call. */
  args?: Record<string, unknown>;
}
