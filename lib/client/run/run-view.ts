import type { DataFlow, LoopStopReason, NoticeKind, PendingRequest, StepRecord } from "@/lib/protocol/chunk";
import type { RunStatus } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { FilePart, ToolCall, ToolResult } from "@/lib/protocol/message";
import type { PlanUse } from "@/lib/protocol/plan";
import type { Usage } from "@/lib/protocol/usage";

/**
 * What the page shows of one answer: a run and the runs that continue it, as one.
 * Times are on the run's clock: epoch ms less the time in which nothing ran (`idleMs`), so that a wait of an hour
 * does not flatten the bars beside it.
 */
export interface RunView {
  /** The newest run of the chain. */
  runId: string | null;
  status: RunStatus;
  loops: readonly LoopView[];
  /** What a person said while it ran, as far as the model has read it. */
  steering: readonly SteeringView[];
  /** What a person is asked, oldest first. */
  pending: readonly PendingRequest[];
  usage: Usage;
  /** Model turns that count towards the limit. */
  iteration: number;
  /** The limit of such turns; null if unknown. */
  limit: number | null;
  startedAt: number | null;
  /** Time of the newest chunk that has one. */
  lastAt: number | null;
  /** When the newest run of the chain ended, epoch ms; null while it is running. */
  endedAt: number | null;
  /** Time between the runs of the chain, including waits for a person. */
  idleMs: number;
  /** From the start to the first text, reasoning or call. */
  firstTokenMs: number | null;
  stopReason: LoopStopReason | null;
  /** Of a workflow: the steps and loops that have ended. */
  steps: readonly StepRecord[];
  /** The plans that a person has taken back. */
  takenBack: readonly string[];
  error: { code: string; message: string; retryAt?: number } | null;
}

/** One model turn with the calls that it asked for. */
export interface LoopView {
  /** From 1, without a gap, over the whole answer. */
  number: number;
  /** Path of the agent whose loop it is. */
  agent?: string;
  /** It ran in the workflow that this answer was forked from. */
  copied?: true;
  /** The run in whose log it stands; null for what was imported. */
  runId: string | null;
  startedAt: number | null;
  /** Null while it is running. */
  endedAt: number | null;
  /** Whether the model's turn is complete; calls of an incomplete turn do not count. */
  whole: boolean;
  items: readonly LoopItem[];
}

export type LoopItem = ReasoningView | TextView | JsonView | ToolView | NoticeView | SummaryView;

export interface ReasoningView {
  kind: "reasoning";
  text: string;
  startedAt: number | null;
  endedAt: number | null;
  done: boolean;
}

export interface TextView {
  kind: "text";
  text: string;
}

/** An answer that had to match a schema. */
export interface JsonView {
  kind: "json";
  text: string;
}

export type ToolState = "writing" | "waiting" | "running" | "done" | "failed" | "denied" | "unknown";

export interface ToolView {
  kind: "tool";
  id: ToolCallId;
  call: ToolCall;
  state: ToolState;
  /** The JSON text of its arguments so far; absent once the call is complete. */
  written?: string;
  /** The person's answer, until the call continues: other questions may have to be answered first. */
  said?: "allowed" | "denied" | "answered";
  /** The arguments that ran, or that would run. */
  args: Record<string, unknown>;
  startedAt: number | null;
  durationMs: number | null;
  progress: { progress: number; total?: number; message?: string } | null;
  result: ToolResult | null;
  /** Where it counts in a plan. */
  plan?: PlanUse;
  /** What its arguments carried from other servers. */
  flows?: readonly DataFlow[];
  /** The run that sent it, or brought its result: another than that of its loop where one continues or copies it. */
  runId?: string;
}

export interface NoticeView {
  kind: "notice";
  about: NoticeKind;
  message: string;
  /** Time of the next attempt, epoch ms. */
  until?: number;
}

/** What the model reads instead of the oldest messages from here on. */
export interface SummaryView {
  kind: "summary";
  text: string;
}

/** A steering message: said while the run went on, and read with the model's next request. */
export interface SteeringView {
  id: string | null;
  /** The number of the loop after which it was read; 0 before the first. */
  after: number;
  text: string;
  files: readonly FilePart[];
}

export const emptyRun: RunView = {
  runId: null,
  status: "running",
  loops: [],
  steering: [],
  pending: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  iteration: 0,
  limit: null,
  startedAt: null,
  lastAt: null,
  endedAt: null,
  idleMs: 0,
  firstTokenMs: null,
  stopReason: null,
  steps: [],
  takenBack: [],
  error: null,
};

/** The text of the last loop that has one, for the Copy button. */
export function answerText(view: RunView): string {
  const last = view.loops.findLast((loop) => loop.items.some((item) => item.kind === "text"));
  return (last?.items ?? []).map((item) => (item.kind === "text" ? item.text : "")).join("");
}
