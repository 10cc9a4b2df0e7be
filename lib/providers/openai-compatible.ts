import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Provider } from "@/lib/agent/ports";
import type { ModelItem } from "@/lib/protocol/http";
import type { Endpoint } from "./failure";
import { toListError } from "./failure";
import type { ModelSource } from "./model-source";
import { PromptWriter } from "./prompt-writer";
import { streamTurn } from "./stream-turn";
import { toOpenAiSchema } from "./tool-schema";
import { ToolWriter } from "./tool-writer";

/** A server that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, LM Studio, Ollama. */
export interface CompatibleServer {
  id: string;
  label: string;
  /** With `/v1`. */
  baseURL: string;
  apiKey?: string;
  keyVariable?: string;
  addressVariable: string;
  wellKnown: string;
  optional?: true;
  fetch?: typeof globalThis.fetch;
  list(signal: AbortSignal): Promise<ModelItem[]>;
  callsTools?: ModelSource["callsTools"];
}

export function compatibleSource(server: CompatibleServer): ModelSource {
  const { id, baseURL, apiKey, optional, fetch } = server;
  const openai = createOpenAICompatible({
    name: id,
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(apiKey && { apiKey }),
    ...(fetch && { fetch }),
  });
  const rules = { key: id, reasoning: "this_turn", carries } as const;
  const seeing = new PromptWriter({ ...rules, toolImages: "own_message" });
  // A model without eyes answers an image with an error, and then so does every later turn.
  const blind = new PromptWriter({
    ...rules,
    toolImages: "none",
    carries: (type) => !type.startsWith("image/") && carries(type),
  });
  const tools = new ToolWriter(toOpenAiSchema);
  const endpoint = (model: string): Endpoint => ({
    label: server.label,
    baseURL,
    model,
    addressVariable: server.addressVariable,
    ...(server.keyVariable && { keyVariable: server.keyVariable }),
    ...(apiKey && { secret: apiKey }),
  });
  return {
    id,
    wellKnown: server.wellKnown,
    ...(optional && { optional }),
    ...(server.callsTools && { callsTools: server.callsTools }),
    async list(signal) {
      try {
        return await server.list(signal);
      } catch (error) {
        throw toListError(error, endpoint(server.wellKnown));
      }
    },
    provider(name, sees): Provider {
      const wire = {
        model: openai(name),
        endpoint: endpoint(name),
        tools,
        // Strict mode refuses most schemas that people write by hand.
        options: { [id]: { strictJsonSchema: false } },
      };
      return { stream: (turn) => streamTurn({ ...wire, prompts: sees() ? seeing : blind }, turn) };
    },
  };
}

const carries = (mediaType: string) =>
  /^image\/(png|jpeg|webp|gif)$|^audio\/(wav|mp3|mpeg)$|^application\/pdf$/.test(mediaType);
