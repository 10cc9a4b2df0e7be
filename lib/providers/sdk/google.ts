import { createGoogle, type GoogleLanguageModelOptions } from "@ai-sdk/google";
import { z } from "zod";
import type { ModelNetwork, ProviderAccess, ProviderDefinition } from "@/lib/providers/shared/definition";
import { fetchJson } from "@/lib/providers/shared/fetch-json";
import { type ModelSource, modelItem, preferring } from "@/lib/providers/shared/model-source";
import { toGeminiSchema } from "@/lib/providers/tools/tool-schema";
import { PromptWriter } from "./prompt-writer";
import { sdkSource } from "./sdk-source";
import { ToolWriter } from "./tool-writer";

const id = "google";
const wellKnown = "gemini-2.5-flash";

/** Gemini, through `@ai-sdk/google`. */
export const google: ProviderDefinition = {
  id,
  name: "Gemini",
  help: "Get a key in Google AI Studio.",
  addressHint: "Leave empty for Google’s own.",
  keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  addressVariables: [{ name: "GOOGLE_GENERATIVE_AI_BASE_URL" }],
  needs: "key",
  traceName: "gcp.gemini",
  open: openSource,
};

function openSource({ apiKey = "", baseURL }: ProviderAccess, { fetch }: ModelNetwork): ModelSource {
  const base = (baseURL ?? "https://generativelanguage.googleapis.com/v1beta").replace(/\/+$/, "");
  const sdk = createGoogle({ apiKey, baseURL: base, ...(fetch && { fetch }) });
  const prompts = new PromptWriter({ key: id, carries });
  const tools = new ToolWriter(toGeminiSchema);
  return sdkSource({
    ...{ definition: google, label: "Gemini", baseURL: base, apiKey, wellKnown },
    list: (signal) => listModels(base, apiKey, signal, fetch),
    open: (name) => {
      const thinking: GoogleLanguageModelOptions = thinks(name)
        ? { thinkingConfig: { includeThoughts: true } }
        : {};
      const options = { [id]: { ...thinking } };
      const wire = { model: sdk(name), prompts, tools, options, wholeCalls: true as const };
      return () => wire;
    },
  });
}

const carries = (mediaType: string) =>
  /^image\/(png|jpeg|webp|heic|heif)$|^(audio|video)\/|^application\/pdf$/.test(mediaType);

/** A model that cannot think refuses to be asked for its thoughts. */
const thinks = (name: string) =>
  /gemini-(2\.5|[3-9]|(flash|pro)(-lite)?-latest)/.test(name) && !/image|tts|live|audio/.test(name);

const modelList = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      displayName: z.string().optional(),
      inputTokenLimit: z.number().optional(),
      supportedGenerationMethods: z.array(z.string()).optional(),
      thinking: z.boolean().optional(),
    }),
  ),
});

async function listModels(
  base: string,
  apiKey: string,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch | undefined,
) {
  const answer = await fetchJson(`${base}/models?pageSize=1000`, {
    headers: { "x-goog-api-key": apiKey },
    signal,
    fetch,
  });
  const chat = modelList
    .parse(answer)
    .models.filter((model) => model.supportedGenerationMethods?.includes("generateContent"))
    .filter((model) => !/embedding|image|tts|audio|live|robotics|computer-use|aqa/.test(model.name))
    .slice(0, 500)
    .map((model) => {
      const name = model.name.replace(/^models\//, "");
      const gemini = name.startsWith("gemini");
      return modelItem(
        id,
        name,
        {
          tools: gemini,
          images: gemini || /gemma-3/.test(name),
          reasoning: model.thinking ?? false,
          contextWindow: model.inputTokenLimit ?? null,
        },
        model.displayName,
      );
    });
  return preferring(chat, [
    /\/gemini-2\.5-flash$/,
    /\/gemini-flash-latest$/,
    /\/gemini-[\d.]+-flash$/,
    /flash/,
    /gemini/,
  ]);
}
