import { passThroughAfterFirst, untilFirstChunk } from "@/lib/agent/pass-through-after-first";
import { type Provider, ProviderError } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { type PromptedOptions, withPromptedJson } from "./prompted-json";

/** What is known of one model; grows as its server answers. */
export interface ToolSupport {
  /** Whether it is always asked for its calls in JSON: it is set so, or its server has refused tools. */
  prompted: boolean;
  schema: PromptedOptions["schema"];
}

export interface SupportedModel {
  name: string;
  sees: () => boolean;
  support: ToolSupport;
  /** Whether the server says that this model can call tools; undefined when it does not say. Never rejects. */
  callsTools(signal: AbortSignal): Promise<boolean | undefined>;
  /** A person has said that it calls tools by itself: then a refusal is shown, and nothing is tried in its place. */
  isSettled: boolean;
}

/** Asks a model for its tool calls in its own way, or in prompted JSON where that is known not to work or turns out not to. */
export function withToolSupport(provider: Provider, model: SupportedModel): Provider {
  const { name, support } = model;
  const prompted = withPromptedJson(provider, {
    name,
    sees: model.sees,
    schema: support.schema,
  });
  return {
    stream: (turn) =>
      passThroughAfterFirst(async function* () {
        turn.signal.throwIfAborted();
        if (support.prompted || (await model.callsTools(turn.signal)) === false)
          return yield* untilFirstChunk(prompted.stream(turn));
        try {
          return yield* untilFirstChunk(provider.stream(turn));
        } catch (error) {
          if (model.isSettled || turn.tools.length === 0 || !refusesTools(error)) throw error;
        }
        support.prompted = true;
        yield switched(name);
        return yield* untilFirstChunk(prompted.stream(turn));
      }),
  };
}

const switched = (name: string): ModelChunk => ({
  type: "notice",
  kind: "server",
  message: `${name} has no function calling. From now on it writes its calls as JSON.`,
});

/** In the words of Ollama, llama.cpp, vLLM, Gemini and OpenRouter. */
const refusals =
  /not support (tool|function)|(tools?|function)([ _-](use|calls?|calling|choice))? (is|are) not (supported|enabled)|tools param requires|enable-auto-tool-choice|that support tool use/i;

const refusesTools = (error: unknown): boolean =>
  error instanceof ProviderError && refusals.test(error.message);
