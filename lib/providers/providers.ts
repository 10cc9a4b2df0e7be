import type { Dispatcher } from "undici";
import type { Provider } from "@/lib/agent/ports";
import type { ModelItem, ModelTraits } from "@/lib/protocol/http";
import { demoSource } from "./demo/demo";
import { ModelMenu } from "./model-menu";
import { type ModelSource, seesImages, windowByName } from "./model-source";
import { ollamaSource } from "./openai/ollama";
import { openaiSource } from "./openai/openai";
import { type ToolSupport, withToolSupport } from "./prompted-json/tool-support";
import { anthropicSource } from "./sdk/anthropic";
import { googleSource } from "./sdk/google";
import { withoutRefusedTools } from "./tools/without-refused-tools";
import { type ProviderConfig, type Providers, UnknownModelError } from "./types";

/** What may stand in place of the runtime's own. */
export interface ProviderEnvironment {
  /** Sends the requests of a model turn; the runtime's own unless given. */
  dispatcher?: Dispatcher;
  /** The same for the adapters that want it in this form. */
  fetch?: typeof globalThis.fetch;
  /** Where an Ollama that nobody has configured is looked for. */
  localOllama?: string;
  now?: () => number;
  /** How long the demo model waits before each piece. */
  demoPieceMs?: number;
}

/** Opens what is configured; throws `UnknownModelError` when the default model is none of it. Does no I/O. */
export function openProviders(config: ProviderConfig, environment: ProviderEnvironment = {}): Providers {
  const {
    localOllama = "http://127.0.0.1:11434",
    now = Date.now,
    demoPieceMs = 15,
    ...sending
  } = environment;
  const { dispatcher, fetch } = sending;
  const { google, openai, anthropic, ollama, defaultModel } = config;
  const sources: ModelSource[] = [
    ...(google ? [googleSource(google, fetch)] : []),
    ...(openai ? [openaiSource(openai, dispatcher, fetch)] : []),
    ...(anthropic ? [anthropicSource(anthropic, fetch)] : []),
    ollamaSource(ollama, localOllama, dispatcher, fetch),
    demoSource(demoPieceMs),
  ];
  const find = (modelId: string) => findSource(sources, modelId);
  const chosen = defaultModel === undefined ? undefined : find(defaultModel);
  const menus = sources.map(
    (source) => new ModelMenu(source, chosen?.source === source ? chosen.name : undefined, now),
  );
  const traits = config.traits ?? {};
  const supportOf = rememberSupport(traits);
  const models = async () =>
    (await Promise.all(menus.map((menu) => menu.items())))
      .flat()
      .map((item) => withTraits(item, traits[item.id], supportOf(item.id)));
  const known = (modelId: string) =>
    menus.flatMap((menu) => menu.known).find(({ id }) => id === modelId)?.capabilities;
  const sees = (modelId: string, name: string) =>
    traits[modelId]?.images ?? known(modelId)?.images ?? seesImages(name);
  return {
    models,
    async defaultModel() {
      if (defaultModel !== undefined) return defaultModel;
      const real = (await models()).filter((item) => item.reachable && item.provider !== "demo");
      return (real.find((item) => item.capabilities.tools) ?? real[0])?.id ?? "demo/demo";
    },
    window(modelId) {
      return known(modelId)?.contextWindow ?? windowByName(modelId.slice(modelId.indexOf("/") + 1));
    },
    async test(id, access, signal) {
      const source = sourceFor(id, access, localOllama, sending);
      if (!source) throw new Error("A key is needed.");
      return (await source.list(signal)).length;
    },
    provider: remember((modelId) => {
      const { source, name } = find(modelId);
      const seesNow = () => sees(modelId, name);
      if (source.id === "demo") return source.provider(name, seesNow);
      const { toolCalls } = traits[modelId] ?? {};
      return withToolSupport(withoutRefusedTools(source.provider(name, seesNow)), {
        name,
        sees: seesNow,
        support: supportOf(modelId),
        callsTools: async (signal) => (toolCalls ? undefined : source.callsTools?.(name, signal)),
        isSettled: toolCalls === "own",
      });
    }),
  };
}

/** An item of the menu as it is now known: what a person says counts, then what the model's server has shown. */
function withTraits(item: ModelItem, traits: ModelTraits | undefined, { prompted }: ToolSupport): ModelItem {
  const { toolCalls, images } = traits ?? {};
  const capabilities = {
    ...item.capabilities,
    tools: toolCalls === "own" || (item.capabilities.tools && !prompted),
    ...(images !== undefined && { images }),
  };
  return { ...item, capabilities, ...(traits && { traits }) };
}

/** A source of its own for a key or address that is only tried. */
function sourceFor(
  id: string,
  { apiKey, baseURL }: { apiKey?: string; baseURL?: string },
  localOllama: string,
  { dispatcher, fetch }: Pick<ProviderEnvironment, "dispatcher" | "fetch">,
): ModelSource | undefined {
  const address = baseURL ? { baseURL } : {};
  switch (id) {
    case "google":
      return apiKey ? googleSource({ apiKey, ...address }, fetch) : undefined;
    case "anthropic":
      return apiKey ? anthropicSource({ apiKey, ...address }, fetch) : undefined;
    case "openai":
      return apiKey || baseURL
        ? openaiSource({ ...(apiKey && { apiKey }), ...address }, dispatcher, fetch)
        : undefined;
    case "ollama":
      return ollamaSource(address, localOllama, dispatcher, fetch);
    default:
      return undefined;
  }
}

/** Making an adapter costs more than a short turn, and it keeps nothing of one: the same serves all runs of a model. */
function remember(make: (modelId: string) => Provider): (modelId: string) => Provider {
  const made = new Map<string, Provider>();
  return (modelId) => {
    const provider = made.get(modelId) ?? make(modelId);
    if (made.size < maxRemembered) made.set(modelId, provider);
    return provider;
  };
}

const maxRemembered = 1_000;

/** What the servers have said about each model, as long as this process lives. */
function rememberSupport(traits: NonNullable<ProviderConfig["traits"]>): (modelId: string) => ToolSupport {
  const known = new Map<string, ToolSupport>();
  return (modelId) => {
    const support = known.get(modelId) ?? {
      prompted: traits[modelId]?.toolCalls === "json",
      schema: { allowed: true },
    };
    if (known.size < maxRemembered) known.set(modelId, support);
    return support;
  };
}

function findSource(sources: readonly ModelSource[], modelId: string): { source: ModelSource; name: string } {
  const slash = modelId.indexOf("/");
  const name = modelId.slice(slash + 1);
  if (slash < 1 || !name || name.length > 200)
    throw new UnknownModelError(
      `"${modelId.slice(0, 100)}" is no model: it wants provider/name, for example google/gemini-2.5-flash.`,
    );
  const source = sources.find(({ id }) => id === modelId.slice(0, slash));
  if (!source || (source.id === "demo" && name !== source.wellKnown)) throw unknown(sources, modelId, slash);
  return { source, name };
}

const missing: Record<string, string> = {
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  openai: "OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own,",
  anthropic: "ANTHROPIC_API_KEY",
};

function unknown(sources: readonly ModelSource[], modelId: string, slash: number): UnknownModelError {
  const remedy = missing[modelId.slice(0, slash)];
  const known = sources.map(({ id }) => id).join(", ");
  return new UnknownModelError(
    remedy
      ? `"${modelId}" cannot be used yet: enter its key in Settings → Models (or set ${remedy} and start again), or pick a model of ${known}.`
      : `There is no model "${modelId.slice(0, 100)}": pick one of ${known}.`,
  );
}
