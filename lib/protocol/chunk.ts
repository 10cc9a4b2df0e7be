import type { Answer } from "./answer";
import type { ToolCallId } from "./ids";
import type { ChatMessage, SummaryMessage, ToolCall, ToolResult, UserMessage } from "./message";
import type { PlanOutside, PlanStep, PlanUse } from "./plan";
import type { SentRequest } from "./sent-request";
import type { Usage } from "./usage";

/** One event of a run, over SSE and in the run log. Exactly one `result` comes, and it comes last. */
export type Chunk = ChunkBody & {
  /** Path of the workflow agent or sub-agent it belongs to: `pipeline/refine.3/critic`. */
  agent?: string;
  /**
   * When it was written to the run log, epoch ms. The writer stamps every chunk except a piece of text, reasoning or
   * arguments that continues the one before, so that each reader derives the same timings.
   */
  at?: number;
};

type ChunkBody =
  | ModelChunk
  /** A turn of the model begins; `limit`: as many may come. `copied`: it ran in the workflow that this run was forked from. */
  | { type: "iteration"; index: number; limit?: number; copied?: true }
  /** The intent: stored before the call is sent. Without a `tool_result` after it, the outcome is unknown. */
  | {
      type: "tool_start";
      id: ToolCallId;
      args: Record<string, unknown>;
      /** Where it counts in the plan that a person has approved. */
      plan?: PlanUse;
      /** What its arguments carry from other servers to this one. */
      flows?: readonly DataFlow[];
    }
  | { type: "tool_progress"; id: ToolCallId; progress: number; total?: number; message?: string }
  | ToolResultChunk
  | ApprovalRequest
  | InputRequest
  /** What takes the call up again after a restart (`requestState`, a task id). Redacted on every wire. */
  | { type: "tool_state"; id: ToolCallId; state: string }
  /** `id` is the call it is about; an answer about the whole run has none. */
  | { type: "answer"; requestId: string; id?: ToolCallId; answer: Answer }
  | { type: "agent"; name: string; event: "start" }
  /** The end of a step; `escalate` is an end that leaves the loop. A continued run takes it from here. */
  | {
      type: "agent";
      name: string;
      event: "end" | "escalate";
      output: string;
      state: Record<string, string>;
      /** Of a loop: how many rounds it went, and who left it. */
      rounds?: number;
      by?: string;
    }
  | { type: "result"; result: AgenticLoopResult };

export interface ApprovalRequest {
  type: "approval_request";
  requestId: string;
  call: ToolCall;
  /**
   * `data_flow`: its arguments carry what another server has returned. `tape`: the recording that the run takes its results from does
   * not have it.
   */
  reason: "rule" | "changed_definition" | "outcome_unknown" | "data_flow" | "sampling" | "plan" | "tape";
  /** What its arguments carry from other servers to this one, whatever it is asked about for. */
  flows?: readonly DataFlow[];
  /** Of a question about a plan: what would run without another question. */
  plan?: { steps: PlanStep[] };
  /** What keeps a call out of the plan that holds. */
  outside?: PlanOutside;
}

/** A passage of what one server has returned, in the arguments of a call of another one. */
export interface DataFlow {
  /** Where it is from. */
  server: string;
  tool: string;
  /** The argument that carries it, or the first of them. */
  argument: string;
  /** UTF-16 code units, in all. */
  characters: number;
  /** How it begins, without what it was wrapped in. */
  excerpt: string;
}

export interface InputRequest {
  type: "input_request";
  requestId: string;
  id: ToolCallId;
  server: string;
  mode: "form" | "url";
  /**
   * `login`: not the server asks, but this application, as the server takes no call before a person has signed in to it. The call has not
   * run; the sign-in answers the question.
   */
  reason?: "login";
  message: string;
  schema?: unknown;
  url?: string;
}

export interface BudgetRequest {
  type: "budget_request";
  requestId: string;
  /** A key of `Budget`, `price`: it is money, and nobody knows what the model costs, or `repeat`: turns that make the same calls again and again, or calls of a tool that does not exist. */
  limit: string;
  /** How much of it there was: tokens, calls, US dollars, ms. */
  of: number;
  used: Record<string, number>;
  /** The matrix whose budget it is, of which this run is a cell; the run's own otherwise. */
  matrix?: string;
}

/** In step mode, before each call of a model and of a tool. */
export type StepRequest = { type: "step_request"; requestId: string } & (
  | /** What the model would be sent is the `request` before it in its turn. */ { kind: "model" }
  | { kind: "tool"; id: ToolCallId; payload: Pick<ToolCall, "name" | "args" | "server" | "tool"> }
);

/** What a run can wait for a person to answer. */
export type PendingRequest = ApprovalRequest | InputRequest | BudgetRequest | StepRequest;

/** Of a call, or in place of its result what a person has the model read (`by`). */
export interface ToolResultChunk {
  type: "tool_result";
  result: ToolResult;
  durationMs: number;
}

/** What a provider streams. */
export type ModelChunk =
  /** `format`: the whole answer as JSON that fits the schema which was asked for. `by`: a person wrote it in place of the turn. */
  | { type: "text"; content: string; format?: "json"; signature?: string; by?: "person" }
  | { type: "reasoning"; content: string; signature?: string }
  /**
   * A piece of a call's arguments, JSON text, while the model writes them; the first may be empty. The `tool_call` with
   * the same id follows with the whole and replaces it, unless the turn breaks. Never part of the history.
   */
  | { type: "tool_input"; id: ToolCallId; name: string; content: string }
  | { type: "tool_call"; call: ToolCall }
  /**
   * Goes into the history before the turn that follows: a steering message, a summary. `id`: that of the `QueuedMessage`
   * which it was, and of the message in the history.
   */
  | { type: "message"; id?: string; message: UserMessage | SummaryMessage }
  | SentRequest
  /** A wrapper asks before it lets the turn begin. */
  | BudgetRequest
  | StepRequest
  /** A person has changed what the model reads of a call; the call is not made again. */
  | ToolResultChunk
  /** `until`: when what it tells of is tried again, epoch ms. */
  | {
      type: "notice";
      kind: NoticeKind;
      message: string;
      until?: number;
    }
  /** With a `stopReason` it ends a model turn; without, it is the cost of something nested. */
  | ({ type: "usage"; stopReason?: StopReason } & Usage & Partial<TurnTimes>);

/** What the loop adds to the `usage` that ends a turn. Logs of earlier versions do not have it. */
export interface TurnTimes {
  /** In and out together. */
  totalTokens: number;
  /** From when the model was asked to the end of its turn, tries that failed included. */
  latencyMs: number;
  /** The same to the first piece of text, reasoning or a call; absent when none came. */
  timeToFirstTokenMs?: number;
}

/** `sampling`: what the model has written for a server. */
export type NoticeKind =
  | "retry"
  | "compaction"
  | "budget"
  | "repair"
  | "server"
  | "sampling"
  | "assistant"
  | "skill";

/** Everything but the end. */
export type StepChunk = Exclude<Chunk, { type: "result" }>;

/** How a run ended, and what it adds to the history. */
export interface AgenticLoopResult {
  stopReason: LoopStopReason;
  historyDelta: readonly ChatMessage[];
  finalText: string;
  iterationsUsed: number;
  timedOut: boolean;
  usage: Usage;
  /** Of a workflow: the steps and loops that ended in this run, in order. */
  steps?: readonly StepRecord[];
  /** `retryAt`: when it is worth trying again, epoch ms, where the server has said so. */
  error?: { code: string; message: string; retryAt?: number };
}

/** The end of a step of a workflow, or of a loop in it. */
export interface StepRecord {
  /** Its path. */
  agent: string;
  event: "end" | "escalate";
  rounds?: number;
  by?: string;
}

/** Why the model ended one turn. */
export type StopReason = "end_turn" | "tool_use" | "max_tokens";

/** What an open call can wait for; the run ends, the history keeps the call open. */
export type WaitReason = "awaiting_approval" | "awaiting_input" | "awaiting_step" | "budget";

/** Why the loop ended. */
export type LoopStopReason =
  | Exclude<StopReason, "tool_use">
  | WaitReason
  | "max_iterations"
  | "timeout"
  | "aborted"
  /** The process was shut down, or recovery found after a crash that it had ended. */
  | "interrupted"
  | "error";
