import type { Effort } from "./effort";

/**
 * What the model was sent in a turn besides the messages, which are folded from the log. The last one of a turn holds. It is for the
 * server alone: `redact` leaves nothing of it.
 */
export interface SentRequest {
  type: "request";
  /** Content hash of the system prompt; null where it was not kept. */
  system: string | null;
  /** Content hash of the tools as JSON; null where they were not kept. */
  tools: string | null;
  params: SentParams;
  /** Ours: `provider/name`. */
  model?: string;
  /** Tokens that the model could read, after which older results were shortened. */
  window?: number;
  /** Under which name the wire of the turn is kept, where it is recorded. */
  wire?: string;
  /** By hash, what the log does not have yet. Only on the way into a log or in a file: the store keeps contents apart. */
  contents?: Record<string, string>;
}

/** As in `ModelKnobs`. */
export interface SentParams {
  effort?: Effort;
  temperature?: number;
  maxOutputTokens?: number;
  topP?: number;
  seed?: number;
  toolChoice?: "auto" | "none" | "required" | { name: string };
  /** The answer was to fit the schema of the run in the provider's own form. */
  hasResponseSchema?: true;
}
