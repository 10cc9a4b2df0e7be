import type { Provider } from "@/lib/agent/ports";
import type { ModelItem, Price } from "@/lib/protocol/settings";
import { knownByName, knownPrice, seesImages } from "./known-models";

/** One provider: what it offers and how to speak to it. */
export interface ModelSource {
  id: string;
  /** Of a named endpoint, what people call it. */
  name?: string;
  /** Where its requests go, as it may be shown; absent where they go nowhere. */
  address?: string;
  /** The provider in the table of known models whose prices hold here; nobody knows them unless given. */
  pricesOf?: string;
  /** Names of its models, best choice first. Throws an `Error` whose message says what to do. */
  list(signal: AbortSignal): Promise<ModelItem[]>;
  /** Shown in the menu when the list cannot be read. */
  wellKnown: string;
  /** Left out of the menu when it cannot be reached: nobody has configured it. */
  optional?: true;
  /** By name without the provider; `sees` says before each turn whether the model can see images. Does no I/O. */
  provider(name: string, sees: () => boolean): Provider;
  /** Whether the server says that this model can call tools; undefined when it does not say. Never rejects. */
  callsTools?(name: string, signal: AbortSignal): Promise<boolean | undefined>;
}

/** What a provider's list tells of a model; what it does not tell is taken from the table of known models. */
export type Listed = Partial<
  ModelItem["capabilities"] & Pick<ModelItem, "contextWindow" | "price" | "efforts">
>;

/** An item of the model menu, with what is assumed of a model that says nothing about itself. */
export function modelItem(provider: string, name: string, listed: Listed = {}, label = name): ModelItem {
  const known = knownByName(name);
  const efforts = listed.efforts ?? known.efforts ?? null;
  return {
    id: `${provider}/${name}`,
    provider,
    name: label,
    capabilities: {
      tools: listed.tools ?? true,
      images: listed.images ?? seesImages(name),
      reasoning: listed.reasoning ?? (efforts !== null && efforts.length > 0),
    },
    contextWindow: listed.contextWindow ?? known.window ?? null,
    price: listed.price ?? null,
    efforts,
    reachable: true,
  };
}

/** What its own provider asks for a model; a gateway asks what it likes. */
export const knownPriceAt = ({ pricesOf }: Pick<ModelSource, "pricesOf">, name: string): Price | undefined =>
  pricesOf === undefined ? undefined : knownPrice(`${pricesOf}/${name}`);

/** Moves the names that match the first pattern to the front, then those of the second, and so on. */
export function preferring(items: ModelItem[], patterns: readonly RegExp[]): ModelItem[] {
  const rank = ({ id }: ModelItem) => {
    const at = patterns.findIndex((pattern) => pattern.test(id));
    return at < 0 ? patterns.length : at;
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}
