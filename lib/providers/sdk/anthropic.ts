import { type AnthropicLanguageModelOptions, createAnthropic } from "@ai-sdk/anthropic";
import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { z } from "zod";
import type { Turn } from "@/lib/agent/ports";
import type { ModelNetwork, ProviderAccess, ProviderDefinition } from "@/lib/providers/shared/definition";
import { fetchJson } from "@/lib/providers/shared/fetch-json";
import { type ModelSource, modelItem, preferring } from "@/lib/providers/shared/model-source";
import { anthropicKnobs, thinkingFor } from "./anthropic-knobs";
import { AnthropicPrompts, AnthropicTools } from "./anthropic-prompt";
import { sdkSource } from "./sdk-source";

const id = "anthropic";
const wellKnown = "claude-sonnet-5";

/** Claude, through `@ai-sdk/anthropic`. */
export const anthropic: ProviderDefinition = {
  id,
  name: "Claude",
  help: "Get a key in the Anthropic console.",
  addressHint: "Leave empty for Anthropic’s own.",
  keyVariables: ["ANTHROPIC_API_KEY"],
  addressVariables: [{ name: "ANTHROPIC_BASE_URL" }],
  needs: "key",
  open: openSource,
};

function openSource({ apiKey = "", baseURL }: ProviderAccess, { fetch }: ModelNetwork): ModelSource {
  const base = versioned(baseURL ?? "https://api.anthropic.com");
  const sdk = createAnthropic({ apiKey, baseURL: base, ...(fetch && { fetch }) });
  const prompts = new AnthropicPrompts(id);
  const tools = new AnthropicTools(id);
  return sdkSource({
    ...{ definition: anthropic, label: "Anthropic", baseURL: base, apiKey, wellKnown },
    list: (signal) => listModels(base, apiKey, signal, fetch),
    open: (name) => {
      const model = sdk(name);
      const write = (turn: Turn) => prompts.write(turn);
      return (turn) => {
        const thinking = thinkingFor(name, turn, write);
        return { model, prompts, tools, options: options(thinking), knobs: anthropicKnobs(turn) };
      };
    },
  });
}

/** Anthropic's own tools take the address without `/v1`, the SDK takes it with; so both are right. */
function versioned(baseURL: string): string {
  const base = baseURL.replace(/\/+$/, "");
  return /\/v\d+$/.test(base) ? base : `${base}/v1`;
}

function options(thinking: AnthropicLanguageModelOptions["thinking"]): SharedV4ProviderOptions {
  // Whole arguments, checked by the server: nobody shows them while they grow.
  const own: AnthropicLanguageModelOptions = { toolStreaming: false, ...(thinking && { thinking }) };
  return { [id]: { ...own } as SharedV4ProviderOptions[string] };
}

const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1),
      display_name: z.string().nullish(),
      max_input_tokens: z.number().nullish(),
    }),
  ),
});

async function listModels(
  base: string,
  apiKey: string,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch | undefined,
) {
  const answer = await fetchJson(`${base}/models?limit=1000`, {
    headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    signal,
    fetch,
  });
  const chat = modelList
    .parse(answer)
    .data.slice(0, 500)
    .map((model) =>
      modelItem(
        id,
        model.id,
        {
          images: true,
          reasoning: /claude-(3-7|[a-z]+-[4-9])/.test(model.id),
          contextWindow: model.max_input_tokens ?? null,
        },
        model.display_name ?? model.id,
      ),
    );
  return preferring(chat, [/\/claude-sonnet/, /sonnet/, /haiku/, /opus/]);
}
