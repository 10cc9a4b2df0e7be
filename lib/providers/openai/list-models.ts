import { z } from "zod";
import type { ModelItem } from "@/lib/protocol/settings";
import { fetchJson } from "@/lib/providers/shared/fetch-json";
import { modelItem, preferring } from "@/lib/providers/shared/model-source";
import { listedModel, readListed } from "./listed-model";

/** OpenAI itself. */
export const openaiAddress = "https://api.openai.com/v1";

/** Of one server. */
const maxModels = 500;

interface ListedServer {
  /** Of the provider, for the ids of the models. */
  id: string;
  base: string;
  apiKey?: string;
  headers?: Readonly<Record<string, string>>;
  fetch: typeof globalThis.fetch | undefined;
}

/** What `/models` of an OpenAI-compatible server offers for chats, the first 500. Throws what `toListError` understands. */
export async function listModels(
  { id, base, apiKey, headers, fetch }: ListedServer,
  signal: AbortSignal,
): Promise<ModelItem[]> {
  const answer = await fetchJson(`${base}/models`, {
    signal,
    fetch,
    headers: { ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...headers },
  });
  const chat = modelList
    .parse(answer)
    .data.filter((model) => !notForChat.test(model.id))
    .slice(0, maxModels)
    .map((model) => modelItem(id, model.id, readListed(model)));
  return base === openaiAddress
    ? preferring(chat, [/\/gpt-5-mini$/, /\/gpt-[\d.]+-mini$/, /\/gpt-[\d.]+$/, /gpt/])
    : chat;
}

const modelList = z.object({ data: z.array(listedModel) });

const notForChat =
  /embed|whisper|tts|dall-e|image|moderation|audio|realtime|transcribe|babbage|davinci|sora|-instruct-\d{4}|rerank|deep-research/i;
