import type { ToolCallId } from "./ids";

/** One entry of the history, as it is stored, exported and given to a provider (through `modelHistory`). */
export type ChatMessage = UserMessage | SummaryMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  role: "user";
  agent?: string;
  parts: (TextPart | FilePart)[];
}

/** For the model it replaces everything before it except the `keep` messages right before it. */
export interface SummaryMessage {
  role: "summary";
  agent?: string;
  text: string;
  keep: number;
}

export interface AssistantMessage {
  role: "assistant";
  /** Path of the workflow agent that wrote it. */
  agent?: string;
  parts: (TextPart | ReasoningPart | ToolCall)[];
  /** A person has written these words in place of the model's, which are another version. */
  by?: "person";
}

/** Answers to calls of the assistant message before it. In call order; a round that waited has several messages, by arrival. */
export interface ToolMessage {
  role: "tool";
  agent?: string;
  results: ToolResult[];
}

export interface TextPart {
  type: "text";
  text: string;
  /** JSON that fits the schema which was asked for. */
  format?: "json";
  /** Opaque provider token that must go back unchanged; it closes the part. */
  signature?: string;
}

export interface ReasoningPart {
  type: "reasoning";
  text: string;
  signature?: string;
}

export type FilePart = InlineFile | StoredFile;

export interface InlineFile {
  type: "file";
  mediaType: string;
  /** Base64, without a data: prefix. */
  data: string;
  name?: string;
  /** Of one that a tool has returned: what hands it on (`attachment:<id>`). */
  id?: string;
  attachmentId?: undefined;
}

/** A file that is kept beside the history (`GET /api/attachments/:id`); `withStoredFiles` brings it to the model. */
export interface StoredFile {
  type: "file";
  mediaType: string;
  attachmentId: string;
  /** Bytes. */
  size: number;
  /** Of the text that the model reads of it, in UTF-16 code units; images have none. */
  characters?: number;
  name?: string;
  data?: undefined;
}

/** A resource that a tool points to without sending it (MCP `resource_link`); opened through resources/read only. */
export interface ResourceLinkPart {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mediaType?: string;
}

export type ToolContent = (TextPart | FilePart | ResourceLinkPart) & {
  /** For whom the server means it alone (MCP `annotations.audience`); absent: for both. */
  audience?: "user" | "assistant";
};

export interface ToolCall {
  type: "tool_call";
  /** Minted by the adapter, unique in the conversation. */
  id: ToolCallId;
  /** Qualified name, `server__tool`. */
  name: string;
  /** The server and its own name of the tool, where the tool box knows them. */
  server?: string;
  tool?: string;
  args: Record<string, unknown>;
  /** What the model wrote as arguments, where that is no JSON object; `args` is empty then. */
  malformed?: string;
  /** Why they were not taken: larger or nested deeper than is stored and sent; `malformed` is how they begin. */
  excess?: "size" | "depth";
  signature?: string;
  /** Hash of the tool's definition by which the call was judged (`McpToolItem.hash`); it is sent to no other. */
  definition?: string;
}

/**
 * Why there is no result of the tool, where the content is Meguri's own sentence; people and models read the sentence,
 * code reads this. Absent where the words are the tool's, its server's or a person's, and where the status says it all.
 */
export type ResultReason =
  /** Never sent: a check, a limit or a rule refused it, or its server could not be reached. */
  | "not_run"
  /** Sent, and no end came: too late, not waited for, the connection broke, or what the server asked for was not given. */
  | "unfinished"
  /** The run broke off before it was sent, or before its answer came: it is open again when the run is resumed. */
  | "cut_short"
  /** Given up on its way; the server was told. */
  | "cancelled"
  /** A person said no without giving a reason. */
  | "declined"
  /** Nobody answered whether it may run: the run was stopped, or the next question asked. */
  | "left_open"
  /** Its tool is one of the program that asks, which was given the call. */
  | "handed_over";

export interface ToolResult {
  id: ToolCallId;
  /** `error`: the tool's failure, or not run. `denied`: a person's no. `unknown`: sent, outcome not known. */
  status: "ok" | "error" | "denied" | "unknown";
  reason?: ResultReason;
  content: ToolContent[];
  structured?: unknown;
  /** `_meta` of the server's answer, for its app alone: neither the model nor a shared page reads it. */
  meta?: Record<string, unknown>;
  /** The arguments that really ran, when a person changed those of the call. */
  args?: Record<string, unknown>;
  /** A person wrote or changed this result. */
  by?: "person";
  /** No model turn follows the round that holds this result (exit_loop, hand-over, final answer). */
  endsTurn?: true;
  /** The tool asks to leave the loop of agents around it, and its server may: counts together with `endsTurn`. */
  escalates?: true;
}
