import type { Answer } from "@/lib/protocol/answer";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { RunIteration } from "@/lib/protocol/http";
import type { LoopItem, ToolView } from "./run-view";

/** One row of the timeline. Times are epoch ms; `to` is null while it goes on, `from` while it has not begun. */
export type Step = ModelStep | CallStep | WaitStep;

/** A turn as `GET /api/runs/:id/requests/:index` names it. */
export interface TurnPlace {
  runId: string;
  /** From 1, within that run. */
  index: number;
}

export interface ModelStep {
  kind: "model";
  key: string;
  place: TurnPlace;
  from: number;
  firstTokenAt: number | null;
  to: number | null;
  /** Of the turn alone. */
  usage: RunIteration["usage"];
  /** It ran in the workflow that this run was forked from. */
  copied?: true;
  /** When it was asked again, oldest first. */
  retries: readonly { at: number; message: string }[];
  /** What the model wrote, thoughts included; its calls have rows of their own. */
  items: readonly LoopItem[];
}

export interface CallStep {
  kind: "call";
  key: string;
  from: number | null;
  to: number | null;
  item: ToolView;
}

export interface WaitStep {
  kind: "wait";
  key: string;
  from: number;
  to: number | null;
  request: PendingRequest;
  answer: Answer | null;
}

/** A turn of the model with its calls and questions. */
export interface StepLoop {
  /** From 1, in the order in which they began. */
  number: number;
  /** Path of the agent of a workflow. */
  agent?: string;
  from: number;
  to: number | null;
  limit: number | null;
  steps: readonly Step[];
}
