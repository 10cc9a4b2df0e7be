import {
  type ModelNetwork,
  type ProviderAccess,
  type ProviderDefinition,
  variablesOf,
} from "@/lib/providers/shared/definition";
import type { ModelSource } from "@/lib/providers/shared/model-source";
import { compatibleSource } from "./compatible";
import { listModels, openaiAddress } from "./list-models";

const id = "openai";
const nameInWords = "OpenAI-compatible server";

/** OpenAI itself, or the server at `OPENAI_BASE_URL`. */
export const openai: ProviderDefinition = {
  id,
  name: nameInWords,
  shortName: "OpenAI",
  help: "OpenAI, or any server with the same API: vLLM, llama.cpp, LM Studio.",
  addressHint: "Leave empty for OpenAI. Most other servers need it to end in /v1.",
  keyVariables: ["OPENAI_API_KEY"],
  addressVariables: [{ name: "OPENAI_BASE_URL" }],
  needs: "key or address",
  open: openSource,
};

function openSource({ apiKey, baseURL, api }: ProviderAccess, network: ModelNetwork): ModelSource {
  const { dispatcher, fetch, modelMemory } = network;
  const base = (baseURL ?? openaiAddress).replace(/\/+$/, "");
  return compatibleSource({
    id,
    label: baseURL ? "The model server" : "OpenAI",
    baseURL: base,
    ...variablesOf(openai),
    // Servers with a single model mostly take any name.
    wellKnown: baseURL ? "default" : "gpt-5-mini",
    ...(base === openaiAddress && { spelling: { outputLimit: "max_completion_tokens" } }),
    ...(apiKey && { apiKey }),
    ...(dispatcher && { dispatcher }),
    ...(api && { api }),
    ...{ fetch, modelMemory },
    list: (signal) => listModels({ id, base, fetch, ...(apiKey && { apiKey }) }, signal),
  });
}
