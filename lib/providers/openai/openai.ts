import { z } from "zod";
import {
  type ModelNetwork,
  type ProviderAccess,
  type ProviderDefinition,
  variablesOf,
} from "@/lib/providers/shared/definition";
import { fetchJson } from "@/lib/providers/shared/fetch-json";
import { type ModelSource, modelItem, preferring } from "@/lib/providers/shared/model-source";
import { compatibleSource } from "./compatible";

const id = "openai";
const nameInWords = "OpenAI-compatible server";
const itself = "https://api.openai.com/v1";

/** OpenAI itself, or the server at `OPENAI_BASE_URL`. */
export const openai: ProviderDefinition = {
  id,
  name: nameInWords,
  help: "OpenAI, or any server with the same API: vLLM, llama.cpp, LM Studio.",
  addressHint: "Leave empty for OpenAI. Most other servers need it to end in /v1.",
  keyVariables: ["OPENAI_API_KEY"],
  addressVariables: [{ name: "OPENAI_BASE_URL" }],
  needs: "key or address",
  open: openSource,
};

function openSource({ apiKey, baseURL }: ProviderAccess, { dispatcher, fetch }: ModelNetwork): ModelSource {
  const base = (baseURL ?? itself).replace(/\/+$/, "");
  return compatibleSource({
    id,
    label: baseURL ? "The model server" : "OpenAI",
    baseURL: base,
    ...variablesOf(openai),
    // Servers with a single model mostly take any name.
    wellKnown: baseURL ? "default" : "gpt-5-mini",
    ...(apiKey && { apiKey }),
    ...(dispatcher && { dispatcher }),
    list: (signal) => listModels(base, apiKey, signal, fetch),
  });
}

const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1),
      /** vLLM */
      max_model_len: z.number().nullish(),
      /** llama.cpp */
      meta: z.object({ n_ctx_train: z.number().nullish() }).nullish(),
    }),
  ),
});

async function listModels(
  base: string,
  apiKey: string | undefined,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch | undefined,
) {
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : undefined;
  const answer = await fetchJson(`${base}/models`, { signal, fetch, ...(headers && { headers }) });
  const chat = modelList
    .parse(answer)
    .data.filter((model) => !notForChat.test(model.id))
    .slice(0, 500)
    .map((model) =>
      modelItem(id, model.id, { contextWindow: model.max_model_len ?? model.meta?.n_ctx_train ?? null }),
    );
  return base === itself
    ? preferring(chat, [/\/gpt-5-mini$/, /\/gpt-[\d.]+-mini$/, /\/gpt-[\d.]+$/, /gpt/])
    : chat;
}

const notForChat =
  /embed|whisper|tts|dall-e|image|moderation|audio|realtime|transcribe|babbage|davinci|sora|-instruct-\d{4}|rerank|codex|deep-research/i;
