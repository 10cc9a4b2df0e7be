import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import { ProviderError } from "@/lib/agent/ports";
import type { StopReason } from "@/lib/protocol/chunk";
import { cutShort, type Endpoint } from "./failure";

/** How a turn ended; the notice says what is odd about an end that still counts. */
export interface Ending {
  stopReason: StopReason;
  notice?: string;
}

/**
 * What a provider's reason to end means for us: the table in docs/agent-loop.md, row by row. Calls decide that
 * tools run, not the reason. A reason that nobody knows is no success: its name is shown.
 */
export function readEnding(
  { unified, raw }: LanguageModelV4FinishReason,
  { calls, said }: { calls: number; said: boolean },
  endpoint: Endpoint,
): Ending {
  const { label } = endpoint;
  switch (meanings[raw ?? ""] ?? unified) {
    case "stop":
    case "tool-calls":
      return { stopReason: calls > 0 ? "tool_use" : "end_turn" };
    case "length":
      return { stopReason: "max_tokens" };
    case "content-filter":
      throw bad(
        raw
          ? `The safety filter of ${label} stopped this answer (${raw}). Rephrase your question.`
          : `The safety filter of ${label} stopped this answer. Rephrase your question.`,
      );
    case "recitation":
      throw bad(
        `${label} stopped because its answer was too close to an existing text (${raw}). Rephrase your question.`,
      );
    case "malformed-call":
      throw bad(`${label} wrote a tool call that cannot be read (${raw}). Try again.`);
    case "window":
      throw new ProviderError(
        "context_overflow",
        `The conversation has filled the context of ${endpoint.model} (${raw}). Start a new one, or pick a model with a larger context.`,
      );
    case "busy":
      throw new ProviderError(
        "unavailable",
        `${label} could not finish this answer (${raw}). Try again in a moment.`,
      );
    case "error":
      throw bad(
        raw
          ? `${label} ended with an error (${raw}). Try again.`
          : `${label} ended with an error. Try again.`,
      );
    case "interrupted":
      throw cutShort(endpoint);
    case "other":
    case "paused":
      return readOther({ reason: raw ?? "no reason given", calls, said }, label);
  }
}

function readOther(
  { reason, calls, said }: { reason: string; calls: number; said: boolean },
  label: string,
): Ending {
  if (calls > 0)
    return {
      stopReason: "tool_use",
      notice: `${label} ended this turn for a reason that is not known here (${reason}); its tool calls are whole and run.`,
    };
  throw bad(
    said
      ? `${label} ended this answer for a reason that is not known here (${reason}). What it wrote is kept, but it may not be all.`
      : `${label} ended without an answer (${reason}). Try again.`,
  );
}

type Meaning =
  | LanguageModelV4FinishReason["unified"]
  | "recitation"
  | "malformed-call"
  | "window"
  | "busy"
  | "paused";

/** Where the SDK says too little, or takes for a good end what is none. */
const meanings: Record<string, Meaning> = {
  RECITATION: "recitation",
  MALFORMED_FUNCTION_CALL: "malformed-call",
  model_context_window_exceeded: "window",
  pause_turn: "paused",
  // Smaller OpenAI-compatible servers: text-generation-inference, Together, Mistral, DeepSeek.
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  model_length: "length",
  insufficient_system_resource: "busy",
};

const bad = (message: string) => new ProviderError("bad_response", message);
