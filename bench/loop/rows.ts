export const toolTurns = 10;
export const textTokens = 5_000;

export type Row = "turns" | "tokens";

/** A way to run the same conversation: one user message, answered over HTTP with the tools of one MCP server. */
export interface Contestant {
  /** The whole answer to `question`; the model reads "turns" or "tokens". */
  run(question: Row): Promise<Outcome>;
}

/** So that a contestant that does less than the others is noticed. */
export interface Outcome {
  text: string;
  toolResults: number;
  /** Pieces of text that reached the caller one by one. */
  pieces: number;
}

export interface Addresses {
  /** Base URL of the OpenAI-compatible server. */
  model: string;
  /** The MCP server, Streamable HTTP. */
  mcp: string;
}

export const system = "You are a model in a benchmark.";
