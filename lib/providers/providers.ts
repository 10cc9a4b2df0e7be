import { knobsOf, type ModelItem, type ModelTraits } from "@/lib/protocol/settings";
import { demoSource } from "./demo/demo";
import { RefusedKnobs, withoutRefusedKnobs } from "./faults/without-refused-knobs";
import { ModelMenu } from "./model-menu";
import { endpointSource, testEndpoint } from "./openai/endpoint";
import { type ToolSupport, withToolSupport } from "./prompted-json/tool-support";
import { providerOf, providerTable } from "./provider-table";
import { canOpen, type ModelNetwork, type ProviderDefinition, variablesOf } from "./shared/definition";
import { knownByName, knownPrice, seesImages } from "./shared/known-models";
import { memoryKey, openModelMemory } from "./shared/model-memory";
import { knownPriceAt, type ModelSource } from "./shared/model-source";
import { withoutRefusedTools } from "./tools/without-refused-tools";
import { type ProviderConfig, type Providers, UnknownModelError } from "./types";

/** What can replace the runtime's own. */
export interface ProviderEnvironment extends ModelNetwork {
  now?: () => number;
  /** How long the demo model waits before each piece. */
  demoPieceMs?: number;
}

/** Opens what is configured; throws `UnknownModelError` when the default model is none of it. Does no I/O. */
export function openProviders(config: ProviderConfig, environment: ProviderEnvironment = {}): Providers {
  const { now = Date.now, demoPieceMs = 15, ...network } = environment;
  const { access = {}, endpoints = [], defaultModel } = config;
  const sources: ModelSource[] = [
    ...providerTable
      .filter((definition) => canOpen(definition, access[definition.id] ?? {}))
      .map((definition) => definition.open(access[definition.id] ?? {}, network)),
    ...endpoints.map((endpoint) => endpointSource(endpoint, network)),
    demoSource(demoPieceMs),
  ];
  const find = (modelId: string) => findSource(sources, modelId);
  const chosen = defaultModel === undefined ? undefined : find(defaultModel);
  const menus = sources.map(
    (source) => new ModelMenu(source, chosen?.source === source ? chosen.name : undefined, now),
  );
  const traits = config.traits ?? {};
  const supportOf = rememberSupport(traits);
  const memory = network.modelMemory ?? openModelMemory();
  const refusedOf = remember((modelId) => {
    const { source, name } = partsOf(sources, modelId);
    const key = memoryKey(source?.address ?? "", name);
    const kept = {
      read: () => memory.get(key).refused ?? {},
      write: (refused: Record<string, number>) => memory.learn(key, { refused }),
    };
    return new RefusedKnobs(kept, now);
  });
  const models = async () =>
    (await Promise.all(menus.map(itemsOf)))
      .flat()
      .map((item) => withTraits(item, traits[item.id], supportOf(item.id), refusedOf(item.id)));
  const listed = (modelId: string) => menus.flatMap((menu) => menu.known).find(({ id }) => id === modelId);
  const sees = (modelId: string, name: string) =>
    traits[modelId]?.images ?? listed(modelId)?.capabilities.images ?? seesImages(name);
  return {
    models,
    async defaultModel() {
      if (defaultModel !== undefined) return defaultModel;
      const real = (await models()).filter((item) => item.reachable && item.provider !== "demo");
      return (real.find((item) => item.capabilities.tools) ?? real[0])?.id ?? "demo/demo";
    },
    window(modelId) {
      const { name } = partsOf(sources, modelId);
      return traits[modelId]?.contextWindow ?? listed(modelId)?.contextWindow ?? knownByName(name).window;
    },
    price(modelId) {
      const { source, name } = partsOf(sources, modelId);
      // Of one that was removed while it answers nobody can say where it is.
      const known = source ? knownPriceAt(source, name) : knownPrice(modelId);
      return listed(modelId)?.price ?? known;
    },
    async test(id, access, signal) {
      const definition = providerOf(id);
      if (!definition || !canOpen(definition, access)) throw new Error("An API key is required.");
      // A new source: this key or address is only tried.
      return (await definition.open(access, network).list(signal)).length;
    },
    testEndpoint: (endpoint, signal) => testEndpoint(endpoint, network, signal),
    provider: remember((modelId) => {
      const { source, name } = find(modelId);
      const seesNow = () => sees(modelId, name);
      if (source.id === "demo") return source.provider(name, seesNow);
      const { toolCalls, ...others } = traits[modelId] ?? {};
      const asked = withoutRefusedKnobs(source.provider(name, seesNow), {
        unset: knobsOf(others),
        refused: refusedOf(modelId),
      });
      return withToolSupport(withoutRefusedTools(asked), {
        name,
        sees: seesNow,
        support: supportOf(modelId),
        callsTools: async (signal) => (toolCalls ? undefined : source.callsTools?.(name, signal)),
        isSettled: toolCalls === "own",
      });
    }),
  };
}

/** Those of a named endpoint say which one. */
async function itemsOf(menu: ModelMenu): Promise<ModelItem[]> {
  const { source } = menu;
  return (await menu.items()).map((item) => ({
    ...item,
    price: item.price ?? knownPriceAt(source, item.id.slice(source.id.length + 1)) ?? null,
    ...(source.name !== undefined && { endpoint: source.name }),
  }));
}

/** An item of the menu as it is now known: what a person says counts, then what the model's server has shown. */
function withTraits(
  item: ModelItem,
  traits: ModelTraits | undefined,
  { prompted }: ToolSupport,
  refused: RefusedKnobs,
): ModelItem {
  const { toolCalls, images, contextWindow = item.contextWindow } = traits ?? {};
  const capabilities = {
    ...item.capabilities,
    tools: toolCalls === "own" || (item.capabilities.tools && !prompted),
    ...(images !== undefined && { images }),
  };
  const efforts = item.efforts?.filter((effort) => !refused.has("effort", effort)) ?? null;
  return { ...item, capabilities, contextWindow, efforts, ...(traits && { traits }) };
}

/**
 * One for each model. Making an adapter costs more than a short turn, and it keeps nothing of one: the same serves all runs of
 * a model.
 */
function remember<Made>(make: (modelId: string) => Made): (modelId: string) => Made {
  const made = new Map<string, Made>();
  return (modelId) => {
    const one = made.get(modelId) ?? make(modelId);
    if (made.size < maxRemembered) made.set(modelId, one);
    return one;
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

function partsOf(sources: readonly ModelSource[], modelId: string) {
  const slash = modelId.indexOf("/");
  const source = sources.find(({ id }) => id === modelId.slice(0, Math.max(slash, 0)));
  return { slash, source, name: modelId.slice(slash + 1) };
}

function findSource(sources: readonly ModelSource[], modelId: string): { source: ModelSource; name: string } {
  const { slash, source, name } = partsOf(sources, modelId);
  if (slash < 1 || !name || name.length > 200)
    throw new UnknownModelError(
      `"${modelId.slice(0, 100)}" is not a model: use provider/name, for example google/gemini-2.5-flash.`,
    );
  if (!source || (source.id === "demo" && name !== source.wellKnown)) throw unknown(sources, modelId, slash);
  return { source, name };
}

function unknown(sources: readonly ModelSource[], modelId: string, slash: number): UnknownModelError {
  const remedy = remedyOf(providerOf(modelId.slice(0, slash)));
  const known = sources.map(({ id }) => id).join(", ");
  const provider = modelId.slice(0, slash);
  if (!providerOf(provider) && provider !== "demo")
    return new UnknownModelError(
      `There is no endpoint "${provider.slice(0, 100)}" for the model "${modelId.slice(0, 100)}": pick one of ${known}, or add it in Settings → Models.`,
    );
  return new UnknownModelError(
    remedy
      ? `"${modelId}" cannot be used yet: enter its key in Settings → Models (or set ${remedy} and start again), or pick a model of ${known}.`
      : `There is no model "${modelId.slice(0, 100)}": pick one of ${known}.`,
  );
}

/** What is to be set in the environment; undefined where nothing is. */
function remedyOf(definition: ProviderDefinition | undefined): string | undefined {
  const { keyVariable, addressVariable } = definition ? variablesOf(definition) : {};
  switch (definition?.needs) {
    case "key":
      return keyVariable;
    case "key or address":
      return `${keyVariable}, or ${addressVariable} for a server of your own,`;
    case "nothing":
    case undefined:
      return undefined;
  }
}
