import type { ChoicePatch, ConversationChoice } from "@/lib/protocol/choice";
import type { AgenticLoopResult, Chunk, StepChunk } from "@/lib/protocol/chunk";
import type { ContextChoicePatch, ContextChoices } from "@/lib/protocol/context-choice";
import type { ForkOrigin } from "@/lib/protocol/fork";
import type { GatewayCall } from "@/lib/protocol/gateway";
import type { ConversationFields, RunIteration, RunOrigin, RunStatus, StartedBy } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolResult, UserMessage } from "@/lib/protocol/message";
import type { ProgramOptions } from "@/lib/protocol/program";
import type { Rerun } from "@/lib/protocol/rerun";
import type { RunLimits } from "@/lib/protocol/run-limits";
import type { ModelKnobs } from "@/lib/protocol/settings";
import type { Tape } from "@/lib/protocol/tape";
import type { QueuedRow } from "./queue-types";
import type { ScheduleStart } from "./schedule-ports";

export interface ConversationRow extends ConversationFields {
  id: string;
  userId: string;
  /** Absent: nothing was chosen. */
  choice?: StoredChoice;
  /** It came as a run, to be looked at: nothing is asked in it. */
  readOnly?: true;
  /** It holds what a program has begun, and is in no list. */
  origin?: RunOrigin;
  createdAt: number;
  updatedAt: number;
}

export interface StoredChoice extends ConversationChoice {
  /** For parts of what its model reads, which only the ledger tells. */
  context?: ContextChoices;
  /** Of the session of a program: tools, by qualified name, that a person has allowed for it. */
  allowed?: readonly string[];
  /** The comparison, by its first question, of which a person has last chosen the answer that goes on. */
  compared?: string;
}

/** `allowed` is added to what was allowed before. */
export type StoredChoicePatch = ChoicePatch & {
  context?: ContextChoicePatch;
  compared?: string;
  allowed?: readonly string[];
};

/** A conversation with what the sidebar shows of its newest run on the current branch. */
export interface ConversationListRow extends ConversationRow {
  lastRun: { id: string; status: RunStatus } | null;
}

/** What is undefined stays as it is. */
export type Changes<Row> = { [Field in keyof Row]?: Row[Field] | undefined };

export interface MessageRow {
  id: string;
  conversationId: string;
  parentId: string | null;
  message: ChatMessage;
  runId: string | null;
  model: string | null;
  /** Names the request that stored a user message; unique in the conversation's owner. */
  clientMessageId: string | null;
  createdAt: number;
}

export interface RunRow {
  id: string;
  conversationId: string;
  userId: string;
  /** Of the user message it answers. */
  messageId: string;
  /** Where the first message of its delta hangs. */
  parentId: string;
  status: RunStatus;
  model: string;
  agent: string | null;
  continues: string | null;
  /** What was asked of it: limits, servers, what a continuing run needs again. */
  options: RunOptions;
  startedAt: number;
  endedAt: number | null;
  result: RunEnd | null;
  iterations: RunIteration[];
  /** A program has begun it. Its messages are not found by a search. */
  origin?: RunOrigin;
  /** The API token by which it has; absent for the launch token. */
  tokenId?: string;
  /** How the one call of an MCP client ended. */
  callStatus?: ToolResult["status"];
  /** The process, as `Members.id`, in which a call was under way when the run began to wait. */
  heldBy?: string;
}

/** How a run ended. Its messages are stored as messages, and here only counted. */
export interface RunEnd extends Omit<AgenticLoopResult, "historyDelta" | "finalText"> {
  /** Absent where it is the last text of its messages. */
  finalText?: string;
  /** How many of the messages after `parentId` it brought: later ones of its name close calls that it left open. */
  messages: number;
}

export interface RunOptions extends RunLimits, ModelKnobs {
  servers?: string[];
  /** By server, whether models find its tools by a search only; others as their entry says. */
  deferred?: Record<string, boolean>;
  /** In place of the conversation's, where the request named some for this answer alone. */
  instructions?: string;
  /** The one whose instructions the model is told, with what it names and was gone when the run began. */
  assistant?: { id: string; gone?: { model?: string; agent?: string } };
  /** What was chosen for parts of the context when the run began. */
  context?: ContextChoices;
  /** JSON Schema that the final answer fits. */
  responseSchema?: Record<string, unknown>;
  /** The workflow as it stood when the chain began. */
  workflow?: unknown;
  /** The call with which it begins, and the one that this call is a new try of. */
  rerun?: Rerun;
  /** Of a fork, and of the runs that continue it. */
  forkedFrom?: ForkOrigin;
  /** The call whose arguments a person has edited in the fork. */
  editedCall?: { id: ToolCallId; args: Record<string, unknown> };
  /** Where several models were asked the same beside each other: the id of the first of the questions. */
  comparison?: string;
  /** Tool results come from another answer, in the runs that continue it too. */
  tape?: Tape;
  /** The matrix of which its answer is a cell, in the runs that continue it too. */
  matrix?: string;
  /** The answer is complete as it begins: no model is asked. */
  isWhole?: true;
  /** It came with a file: what its log says that people allowed, nobody has allowed here. */
  isImported?: true;
  /** Step mode: a person is asked before each call of a model and of a tool. */
  step?: boolean;
  /** The model may propose a plan, so that calls inside of it ask nobody. */
  plan?: boolean;
  /** Whether the wire is recorded; as the person has set it where it is absent. */
  recordWire?: boolean;
  /** Turns that the chain has used before this run. */
  iterationsUsed?: number;
  /** The one call of a program, in place of what a model asks for. */
  gateway?: GatewayCall;
  /** What a program has asked for over one of OpenAI's wires. */
  program?: ProgramOptions;
  /** The schedule or trigger that has begun it, in the runs that continue it too. */
  startedBy?: StartedBy;
}

/** What is stored together with a run that begins. */
export interface RunStart {
  /** The one the run is in, when it begins with this run. */
  conversation?: ConversationRow;
  /** The message it answers, stored as `Messages.append` does. */
  question?: MessageRow;
  /** Messages that come before the question, with it. */
  earlier?: readonly MessageRow[];
  /** Messages that its answer begins with; stored after the question, in this order. */
  messages?: readonly MessageRow[];
  /** They begin a branch, as the run does where there are none: another run may be going on at the same place. */
  isBranch?: true;
  /** Attachments of the question: theirs is the conversation from now on. */
  attachments?: readonly string[];
  /**
   * `from`: the leaf that the conversation must still have. `to`: its next one, when no message is stored. `stays`: the
   * messages that are stored do not become it.
   */
  leaf?: { from?: string | null; to?: string; stays?: boolean };
  /** What the conversation uses from now on. */
  choice?: ChoicePatch;
  /** Its title from now on, unless another one than `from` has been given meanwhile. */
  title?: { from: string; to: string };
  /** The run that is continued must be waiting, with this many `answers`: it is completed and they are deleted. */
  waited?: { answers: number };
  /** The question has waited until now; `follows`: after whose end it is asked; `message`: as it still has to read. */
  queued?: { id: string; follows?: string; message?: UserMessage };
  /** So many runs of this person may run at once, wherever, this one included; `too_many` where it would be one more. */
  most?: number;
  /** Chains; what waits behind them waits behind this run from now on. */
  adopts?: readonly string[];
  /** The cell that its answer is the result of, of a matrix that goes on; it must have none yet. */
  cell?: { matrixId: string; position: number };
  /** The schedule or trigger that begins it, which must be as it was when it was looked at. */
  schedule?: ScheduleStart;
}

/** A person's answer to one question of a run. */
export type AnswerChunk = Extract<StepChunk, { type: "answer" }>;

/** What a conversation holds at one moment. */
export interface ConversationOutline {
  /** Of all branches, parents first; a message never changes. */
  messages: { id: string; parentId: string | null }[];
  /** Oldest first. */
  runIds: string[];
  /** Those that run or wait, whose rows still change. */
  unended: RunRow[];
  files: AttachmentRow[];
  /** What waits, or a run has taken that has not ended. */
  queued: QueuedRow[];
}

export interface LogEvent {
  /** 1, 2, 3 … without a gap. */
  seq: number;
  at: number;
  data: Chunk;
}

/** What is known of an attached file; its bytes lie in a folder or in `Blobs`, named by the id. */
export interface AttachmentRow {
  id: string;
  userId: string;
  /** Null until a message has taken it up. */
  conversationId: string | null;
  /** The project whose file it is; of no conversation then. */
  projectId: string | null;
  name: string;
  mediaType: string;
  /** Bytes. */
  size: number;
  /** Of the text that is kept beside it for the model; null for images. */
  characters: number | null;
  createdAt: number;
}

export interface KnownImport {
  conversationId: string;
  /** Null where it is known by its own id alone. */
  hash: string | null;
  /** Of all its branches. */
  messageIds: ReadonlySet<string>;
}

export interface NewImport {
  source: string;
  sourceId: string;
  hash: string;
  importedAt: number;
  conversation: ConversationRow;
  /** It is here, with so many messages; `messages` are added to them. */
  extends?: { messages: number };
  /** Parents first. */
  messages: readonly MessageRow[];
  attachments: readonly AttachmentRow[];
  runs: readonly { row: RunRow; events: readonly LogEvent[] }[];
}

export interface PageRequest {
  limit: number;
  cursor?: string;
}

/** Where somebody waits for what comes in a log. */
export interface TailPlace {
  runId: string;
  afterSeq: number;
}

/** `isWhole`: nothing more stood there when it was read. */
export interface Tail {
  events: LogEvent[];
  isWhole: boolean;
}
