import type { ConversationChoice } from "./choice";
import type { Chunk, DataFlow, LoopStopReason, NoticeKind, PendingRequest, StepRecord } from "./chunk";
import type { ForkOrigin } from "./fork";
import type { GatewayClient, ListedCall } from "./gateway";
import type { ToolCallId } from "./ids";
import type { ChatMessage, ToolResult } from "./message";
import type { PlanStep, PlanUse } from "./plan";
import type { ProgramItem } from "./program";
import type { SentParams } from "./sent-request";
import type { TapeMisses } from "./tape";
import type { Usage } from "./usage";
import type { WireRecord } from "./wire";

/** Shapes of the JSON that the HTTP API answers with. Times are ISO 8601 UTC unless the name ends in `Ms`. */

export interface ErrorBody {
  error: { code: string; message: string; details?: unknown };
}

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export type RunStatus = "running" | "completed" | "stopped" | "waiting" | "failed" | "interrupted";

/**
 * Who answers: a model, the agents of a workflow, or, where another program has called it by the gateway, one tool. `v1`: whoever
 * a program has asked over one of OpenAI's wires, as long as nobody keeps the conversation. `schedule`: whoever was asked
 * without a person, by a schedule or a trigger.
 */
export type RunKind = "chat" | "workflow" | "schedule" | RunOrigin;

/** The way by which a program has begun what no list of conversations has. */
export type RunOrigin = "gateway" | "v1";

/** What has begun a run without a person. */
export interface StartedBy {
  kind: "schedule" | "trigger";
  id: string;
  /** As it was called then. */
  name: string;
}

/** What can be set of a conversation: stored, listed and changed under the same names. */
export interface ConversationFields {
  title: string;
  /** Last message of the current branch. */
  leafId: string | null;
  pinned: boolean;
  /** In the archive: in no list that does not ask for it. */
  archived: boolean;
  /** The project that it is in. */
  projectId: string | null;
}

export interface ConversationItem extends ConversationFields {
  id: string;
  activeRunId: string | null;
  /** It is in memory alone. */
  temporary?: true;
  /** It came as a run, to be looked at: nothing is asked in it. */
  readOnly?: true;
  /** A program has begun it, and it is in no list. */
  origin?: RunOrigin;
  /** A model is writing its title. */
  titlePending?: true;
  /** State of the newest run of the current branch, for the sidebar. */
  status: RunStatus | null;
  createdAt: string;
  updatedAt: string;
}

/** `POST /api/conversations/batch`: the ids with which it was done, and why not with the others. */
export interface BatchResult {
  done: string[];
  failed: { id: string; code: string }[];
}

/** A page of the list; the first one says how many there are. */
export interface ConversationPage extends Page<ConversationItem> {
  counts?: {
    /** Not archived, whatever the page was filtered by. */
    listed: number;
    archived: number;
  };
}

export type StoredMessage = ChatMessage & {
  id: string;
  parentId: string | null;
  runId: string | null;
  model: string | null;
  createdAt: string;
  /** Ids of the messages with the same parent, oldest first, itself included: "2 / 3" in the page. */
  siblings: string[];
};

/** `GET /api/conversations/:id`: the newest messages of the current branch, oldest first, and the runs they came from. */
export interface ConversationDetail extends ConversationItem {
  messages: StoredMessage[];
  /** Whether older messages can be had with `?before=<id of the first>`. */
  hasMore: boolean;
  runs: RunItem[];
  /** Ids of the answers to the last message, while the newest run has none: it failed, or has just begun. */
  otherAnswers?: string[];
  /** What was chosen for it; null when nothing was. */
  choice: ConversationChoice | null;
  /** The end of the branch that was asked for, where it is not the current one. */
  branchLeafId?: string;
  /** Where the current branch ends with one of several models that were asked the same, until one is chosen to go on with. */
  comparison?: ComparedQuestion[];
}

/** One of the models that were asked the same, in the order in which they were named. */
export interface ComparedQuestion {
  messageId: string;
  model: string;
}

/** One loop of a run. */
export interface RunIteration {
  index: number;
  /** As many may come. */
  limit?: number;
  startedAt: string;
  /** From the start of the loop to the first text, reasoning or call; null when none came. */
  timeToFirstTokenMs: number | null;
  /** Of the model's turn; null while it is running or when it broke off. */
  latencyMs: number | null;
  /** From the first to the last piece of reasoning, or to what came after it; absent when there was none. */
  reasoningMs?: number;
  usage: Usage;
  toolCalls: RunToolCall[];
  /** Path of the workflow agent. */
  agent?: string;
  /** It ran in the workflow that this run was forked from. */
  copied?: true;
  /** What was told meanwhile: retries, repairs, shortened results; the first 20. */
  notices?: { kind: NoticeKind; message: string }[];
}

export interface RunToolCall {
  id: ToolCallId;
  name: string;
  startedAt: string | null;
  durationMs: number | null;
  status: ToolResult["status"] | "open";
  /** Where it counts in a plan that a person has approved. */
  plan?: PlanUse;
  /** What its arguments carried from other servers. */
  flows?: readonly DataFlow[];
}

/** `GET /api/runs/:id`. */
export interface RunItem {
  id: string;
  conversationId: string;
  messageId: string;
  /** Where its first message hangs; absent in old snapshots. */
  parentId?: string;
  status: RunStatus;
  model: string;
  agent: string | null;
  /** The run that this one continues, after an answer or a resume. */
  continues: string | null;
  startedAt: string;
  endedAt: string | null;
  iterations: RunIteration[];
  /** Calls of the run it continues that got their result here. */
  answeredCalls: RunToolCall[];
  /** Of a workflow: the steps and loops that ended in this run. */
  steps?: readonly StepRecord[];
  /** Of one of several models that were asked the same: the id of the first of their questions. */
  comparison?: string;
  stopReason: LoopStopReason | null;
  usage: Usage;
  error: { code: string; message: string; retryAt?: number } | null;
  pending: PendingRequest[];
  /** Of a run that waits: what was answered already, and is done as soon as the last question is. */
  answers?: Extract<Chunk, { type: "answer" }>[];
  /** Where it was forked from; in a conversation with a message of that answer, if it has one. Absent in shares. */
  forkedFrom?: ForkOrigin & { messageId?: string };
  /** In `GET /api/runs/:id`: the recording that it takes its tool results from. */
  rerunOf?: { runId: string; tape: TapeMisses };
  /** Of a call that a program has made: which one. */
  gateway?: GatewayClient;
  /** Who has asked, where it was a program over one of OpenAI's wires. */
  program?: ProgramItem;
  /** What has asked, where it was no person. */
  startedBy?: StartedBy;
  /** Its answer is a cell of this matrix. */
  matrix?: string;
  /** In `GET /api/runs/:id`: the newest matrices in which its answer is a recording, newest first; absent without one. */
  matrices?: { id: string; createdAt: string; models: number; recordings: number }[];
  /** In `GET /api/runs/:id`: what was forked from it, oldest first. */
  forks?: { runId: string; seq: number }[];
  /** In `GET /api/runs/:id`: the run that continues this one, and the first words of the question that both answer. */
  continuedBy?: string | null;
  question?: string;
  /** In `GET /api/runs/:id`: its conversation is only looked at, so that nothing but a fork goes on from it. */
  readOnly?: true;
  /** The plan that a person has taken back while it ran. */
  takenBack?: string;
  /** In `GET /api/runs/:id`: the plan that holds for it, with what is used; null without one. */
  plan?: { id: string; steps: readonly PlanStep[] } | null;
  /** The first message that it has added to the conversation; null while there is none. */
  answerId?: string | null;
}

/** An item of `GET /api/runs`. */
export type ListedRun = Omit<RunItem, "iterations" | "answeredCalls" | "answerId" | "plan"> & {
  /** Of a call that a program has made. */
  call?: ListedCall;
};

/** `GET /api/runs/:id/requests/:index`: what the model was sent in a turn. */
export interface ModelRequest {
  /** Null where it was not recorded, as in runs of earlier versions. */
  system: string | null;
  tools: { name: string; description: string; inputSchema: Record<string, unknown> }[] | null;
  /** As the model reads them, without signatures; files by their ids. Null in a workflow, whose steps have histories of their own. */
  messages: ChatMessage[] | null;
  /** What the run asked for; null where it was not recorded. */
  params: (Omit<SentParams, "hasResponseSchema"> & { responseSchema?: Record<string, unknown> }) | null;
  model: string;
  /** Of what is told here; null without messages. */
  estimatedTokens: number | null;
  /** Null where it was not recorded, or is not stored yet. */
  wire: WireRecord | null;
}

/** When the model gets a queued message: with its next request in this run, or as a question after the answer. */
export type QueuedWhen = "next_turn" | "after";

/** A message that waits until the model gets it: `GET /api/runs/:id/messages`. */
export interface QueuedMessage {
  /** Later also that of the chunk `message`, and of the message in the conversation. */
  id: string;
  /** With it `POST /api/chat` asks the message now. */
  clientMessageId: string;
  text: string;
  attachments: AttachmentItem[];
  when: QueuedWhen;
  createdAt: string;
}

/** A file that has been uploaded (`POST /api/attachments`) and can be named by a message. */
export interface AttachmentItem {
  id: string;
  name: string;
  /** What it is by its content. */
  mimeType: string;
  /** Bytes. */
  size: number;
}

/** `GET /api/runs/:id/files/:file`: a file that the arguments of a call name as `attachment:<id>`. */
export interface RunFile extends AttachmentItem {
  /** In base64: a small one that a tool has returned. Any other is at `/api/attachments/:id`. */
  data?: string;
}

/** `GET /api/agents`: a workflow agent that can be chosen, in the languages of the page. */
