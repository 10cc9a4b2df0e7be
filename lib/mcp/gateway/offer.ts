import { hasName } from "@/lib/protocol/has-name";

/** What a tool answers, as MCP has it. */
export interface McpAnswer {
  content: readonly unknown[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** A tool as `tools/list` tells it. */
export interface ListedTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}

export interface ListedPrompt {
  name: string;
  title?: string;
  description?: string;
  arguments: { name: string; title?: string; description?: string; required: boolean }[];
}

interface ListedAddress {
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

export type ListedResource = ListedAddress & { uri: string; size?: number };
export type ListedTemplate = ListedAddress & { uriTemplate: string };

export interface Completion {
  ref: { type: "prompt"; name: string } | { type: "resource"; uri: string };
  argument: { name: string; value: string };
  /** Arguments that are filled in already. */
  context: Record<string, string> | undefined;
}

export type OfferPart = "tools" | "prompts" | "resources";

/** What a client is told without having asked: a part of its offer, or what is in a resource, is another now. */
export type News = { changed: OfferPart } | { updated: string };

/** By which a client names a request. */
export type RequestId = string | number;

export interface CalledTool {
  name: string;
  args: Record<string, unknown>;
  requestId: RequestId;
}

export interface CallProgress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** What a server logs for a call. */
export interface LogMessage {
  level: string;
  logger?: string | undefined;
  data: unknown;
}

/** What a client is asked: something of its person, or a text of its model. */
export type ClientQuestion =
  | { method: "elicitation/create"; params: ElicitParams }
  | { method: "sampling/createMessage"; params: object };

/** What it is to show to its person. */
export type ElicitParams = { message: string } & (
  | { mode: "form"; requestedSchema: Record<string, unknown> }
  | { mode: "url"; url: string; elicitationId: string }
);

/** Follows one call of a client. */
export interface CallFollower {
  /** Fires when the client has cancelled the request. */
  signal: AbortSignal;
  /** Fires when its connection has broken, which cancels nothing; the answer reaches nobody. */
  gone: AbortSignal;
  onProgress(progress: CallProgress): void;
  onLog(message: LogMessage): void;
  /** Asks the client under this id; its answer comes as a message of its own. Returns how the question is taken back. */
  ask(id: string, question: ClientQuestion): () => void;
}

/** What one client is offered over MCP. What it throws and is a `GatewayError` is told to the client as it says. */
export interface Offer {
  version: string;
  /** Empty for none. */
  instructions(): string;
  tools(): Promise<readonly ListedTool[]>;
  call(call: CalledTool, follow: CallFollower): Promise<McpAnswer>;
  prompts(): readonly ListedPrompt[];
  prompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<object>;
  resources(): readonly ListedResource[];
  templates(): readonly ListedTemplate[];
  resource(uri: string, signal: AbortSignal): Promise<object>;
  complete(asked: Completion, signal: AbortSignal): Promise<object>;
  /** The least grave level of what it is told of the logs of servers; undefined: of nothing. */
  logLevel: string | undefined;
  setLogLevel(level: string): Promise<void>;
  /** Tells of changes of a resource from now on, where a stream for news is open. */
  watch(uri: string, signal: AbortSignal): Promise<void>;
  unwatch(uri: string): Promise<void>;
  /** Called with all that is new, until the signal fires. */
  onNews(listener: (news: News) => void, signal: AbortSignal): void;
}

/** A refusal that the client is told as it is, with a code of JSON-RPC. */
export class GatewayError extends Error {
  static [Symbol.hasInstance] = hasName("GatewayError");
  override name = "GatewayError";
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Of JSON-RPC and MCP. */
export const errorCodes = { invalidParams: -32_602, internal: -32_603, noResource: -32_002 };
