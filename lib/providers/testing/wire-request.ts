/** What a script may look at to decide, and what a test may look at afterwards. */
export interface WireRequest {
  /** Of the answer; no two are alike. */
  id: string;
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  model: string;
  /** Of the last message of the user. */
  lastUserText: string;
  /** What the tools have answered since then. */
  toolResults: string[];
  /** Names of the tools that may be called. */
  tools: string[];
  /** Whether the answer was sent to its end, or the client went before. */
  ended: Promise<"finished" | "client gone">;
}

export interface WireOptions {
  /** Names that the list of models gives. */
  models?: string[];
  /** What Ollama says that its models can do; default: answer and call tools. */
  capabilities?: string[];
  /** Tokens that the list of models says each can read; default: it says nothing. */
  contextWindow?: number;
  /** Bytes of each packet of the body; default: an event a packet. */
  packetBytes?: number;
  lineEnd?: "\n" | "\r\n";
}
