import { z } from "zod";
import {
  type ModelNetwork,
  type ProviderAccess,
  type ProviderDefinition,
  variablesOf,
} from "@/lib/providers/shared/definition";
import { fetchJson } from "@/lib/providers/shared/fetch-json";
import { type ModelSource, modelItem } from "@/lib/providers/shared/model-source";
import { compatibleSource } from "./compatible";

const id = "ollama";
const addressInWords = "For example http://192.168.1.20:11434";
const local = "http://127.0.0.1:11434";
const maxDescribed = 30;
const maxKnown = 1_000;
const probeMs = 3_000;

/** Ollama, through its OpenAI-compatible side; found on this machine without configuration. */
export const ollama: ProviderDefinition = {
  id,
  name: "Ollama",
  help: "Found automatically if it runs on this machine. Enter an address for another machine.",
  addressHint: addressInWords,
  keyVariables: [],
  addressVariables: [{ name: "OLLAMA_BASE_URL" }, { name: "OLLAMA_HOST", bare: true }],
  needs: "nothing",
  local,
  resolve: ollamaRoot,
  open: openSource,
};

function openSource(
  { baseURL }: ProviderAccess,
  { dispatcher, fetch, localAddress = local }: ModelNetwork,
): ModelSource {
  const root = ollamaRoot(baseURL ?? localAddress);
  const ask: Ask = (path, signal, body) => fetchJson(`${root}${path}`, { signal, body, fetch });
  const traits = new Map<string, boolean>();
  return compatibleSource({
    id,
    label: "Ollama",
    baseURL: `${root}/v1`,
    ...variablesOf(ollama),
    wellKnown: "llama3.2",
    pricesOf: id,
    spelling: { efforts: { minimal: "low", xhigh: "high" } },
    ...(dispatcher && { dispatcher }),
    ...(baseURL === undefined && { optional: true }),
    async list(signal) {
      const items = await listModels(ask, signal);
      // A newer version of a model that was pulled meanwhile counts without a restart.
      traits.clear();
      return items;
    },
    async callsTools(name, signal) {
      const known = traits.get(name);
      if (known !== undefined) return known;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(probeMs)]);
      const { capabilities } = await readTraits(ask, name, limit);
      if (capabilities && traits.size < maxKnown) traits.set(name, capabilities.includes("tools"));
      return capabilities?.includes("tools");
    },
  });
}

/** The address without `/v1` or `/api`; `OLLAMA_HOST` may be a bare host, or the address that a server listens on. */
function ollamaRoot(address: string): string {
  const url = /^https?:\/\//.test(address) ? address : `http://${address}`;
  return url.replace(/\/\/0\.0\.0\.0\b/, "//127.0.0.1").replace(/(\/v1|\/api)?\/*$/, "");
}

/** Gives the JSON at a path of the server. */
type Ask = (path: string, signal: AbortSignal, body?: object) => Promise<unknown>;

const modelList = z.object({ models: z.array(z.object({ name: z.string().min(1) })) });
const description = z.object({
  capabilities: z.array(z.string()).optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
});

async function listModels(ask: Ask, signal: AbortSignal) {
  const { models } = modelList.parse(await ask("/api/tags", signal));
  const items = await Promise.all(
    models.slice(0, maxDescribed).map(async ({ name }) => {
      const { capabilities, contextWindow } = await readTraits(ask, name, signal);
      if (!capabilities) return /embed/.test(name) ? [] : [modelItem(id, name)];
      if (!capabilities.includes("completion")) return [];
      const has = (capability: string) => capabilities.includes(capability);
      return [
        modelItem(id, name, {
          tools: has("tools"),
          images: has("vision"),
          reasoning: has("thinking"),
          contextWindow,
          efforts: has("thinking") ? ["none", "low", "medium", "high"] : [],
        }),
      ];
    }),
  );
  return items.flat();
}

/** Older versions do not describe their models; that is no reason to leave a model out. */
async function readTraits(ask: Ask, model: string, signal: AbortSignal) {
  try {
    const { capabilities, model_info } = description.parse(await ask("/api/show", signal, { model }));
    const length = Object.entries(model_info ?? {}).find(([key]) => key.endsWith(".context_length"))?.[1];
    return { capabilities, contextWindow: typeof length === "number" ? length : null };
  } catch {
    return { capabilities: undefined, contextWindow: null };
  }
}
