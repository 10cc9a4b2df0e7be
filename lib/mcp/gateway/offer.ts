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

/** What a client is told of as changed. */
export type OfferPart = "tools" | "prompts" | "resources";

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

/** What a client is to show to its person (`elicitation/create`). */
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
  /** Asks the client under this id; its answer comes as a message of its own. Returns how the question is taken back. */
  elicit(id: string, params: ElicitParams): () => void;
}

/** What one client is offered over MCP. What it throws and is a `GatewayError` is told to the client as it says. */
export interface Offer {
  version: string;
  instructions?: string;
  tools(): readonly ListedTool[];
  call(call: CalledTool, follow: CallFollower): Promise<McpAnswer>;
  prompts(): readonly ListedPrompt[];
  prompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<object>;
  resources(): readonly ListedResource[];
  templates(): readonly ListedTemplate[];
  resource(uri: string, signal: AbortSignal): Promise<object>;
  complete(asked: Completion, signal: AbortSignal): Promise<object>;
  /** Called after any change of what is offered, until the signal fires. */
  onChange(listener: (part: OfferPart) => void, signal: AbortSignal): void;
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
