import type { Effort } from "@/lib/protocol/effort";
import type { Price } from "@/lib/protocol/settings";

/** What is known of a model without asking anybody. */
export interface KnownModel {
  /** `provider/name`; a `*` at the end matches anything. */
  id: string;
  /** Tokens that it can read. */
  window?: number;
  /** US dollars for a million tokens: input, cached input, output. What has none is not free. */
  price?: readonly [input: number, cachedInput: number, output: number];
  /** What can be chosen; empty: it takes none. */
  efforts?: readonly Effort[];
  /** It cannot see images, though its name looks like that of one that can. */
  images?: false;
}

/** When the figures were written down. Where each is from: docs/decisions/0040-knobs-and-known-models.md. */
export const knownModelsDate = "2026-11-22";

const none: Effort[] = [];
const threeEfforts: Effort[] = ["low", "medium", "high"];
const withMinimal: Effort[] = ["minimal", ...threeEfforts];
const withNone: Effort[] = ["none", ...threeEfforts];
const upToXhigh: Effort[] = [...threeEfforts, "xhigh"];
const allFive: Effort[] = ["none", ...upToXhigh];

/**
 * Well-known models; the first that fits counts, and a date behind the name is passed over. Rows without a price are for the
 * models of a family that are not named: a price that is guessed is worse than none.
 */
export const knownModels: readonly KnownModel[] = [
  { id: "google/gemini-3.8-flash*", window: 1_048_576, price: [0.75, 0.075, 3.75], efforts: withMinimal },
  { id: "google/gemini-3.6-flash*", window: 1_048_576, price: [1.5, 0.15, 7.5], efforts: withMinimal },
  { id: "google/gemini-3.5-flash-lite*", window: 1_048_576, price: [0.3, 0.03, 2.5], efforts: withMinimal },
  { id: "google/gemini-3.5-flash*", window: 1_048_576, price: [1.5, 0.15, 9], efforts: withMinimal },
  { id: "google/gemini-3.1-pro*", window: 1_048_576, price: [2, 0.2, 12], efforts: threeEfforts },
  { id: "google/gemini-3.1-flash-lite*", window: 1_048_576, price: [0.25, 0.025, 1.5], efforts: withMinimal },
  { id: "google/gemini-3-pro*", window: 1_048_576, price: [2, 0.2, 12], efforts: ["low", "high"] },
  { id: "google/gemini-3-flash*", window: 1_048_576, price: [0.5, 0.05, 3], efforts: withMinimal },
  { id: "google/gemini-2.5-flash-lite*", window: 1_048_576, price: [0.1, 0.01, 0.4], efforts: withNone },
  { id: "google/gemini-2.5-flash*", window: 1_048_576, price: [0.3, 0.03, 2.5], efforts: withNone },
  { id: "google/gemini-2.5-pro*", window: 1_048_576, price: [1.25, 0.125, 10], efforts: threeEfforts },
  { id: "google/gemini-2.0-flash-lite*", window: 1_048_576, price: [0.075, 0.075, 0.3], efforts: none },
  { id: "google/gemini-2.0-flash*", window: 1_048_576, price: [0.1, 0.025, 0.4], efforts: none },
  { id: "google/gemini-1.5*", window: 1_048_576, efforts: none },
  { id: "google/gemini-2*", window: 1_048_576 },
  { id: "google/gemini-3*", window: 1_048_576 },

  { id: "openai/gpt-5.6", window: 1_050_000, price: [5, 0.5, 30], efforts: allFive },
  { id: "openai/gpt-5.6-sol", window: 400_000, price: [5, 0.5, 30], efforts: allFive },
  { id: "openai/gpt-5.6-terra", window: 400_000, price: [2.5, 0.25, 15], efforts: allFive },
  { id: "openai/gpt-5.6-luna", window: 400_000, price: [1, 0.1, 6], efforts: allFive },
  { id: "openai/gpt-5.5", window: 1_050_000, price: [5, 0.5, 30], efforts: allFive },
  { id: "openai/gpt-5.4", window: 1_050_000, price: [2.5, 0.25, 15], efforts: allFive },
  { id: "openai/gpt-5.4-mini", window: 400_000, price: [0.75, 0.075, 4.5], efforts: allFive },
  { id: "openai/gpt-5.4-nano", window: 400_000, price: [0.2, 0.02, 1.25], efforts: allFive },
  { id: "openai/gpt-5.2", window: 400_000, price: [1.75, 0.175, 14], efforts: allFive },
  { id: "openai/gpt-5.1", window: 400_000, price: [1.25, 0.125, 10], efforts: withNone },
  { id: "openai/gpt-5", window: 400_000, price: [1.25, 0.125, 10], efforts: withMinimal },
  { id: "openai/gpt-5-mini", window: 400_000, price: [0.25, 0.025, 2], efforts: withMinimal },
  { id: "openai/gpt-5-nano", window: 400_000, price: [0.05, 0.005, 0.4], efforts: withMinimal },
  { id: "openai/gpt-5-chat*", window: 128_000, price: [1.25, 0.125, 10], efforts: none },
  { id: "openai/gpt-5*", window: 400_000 },
  { id: "openai/gpt-4.1-nano*", window: 1_047_576, price: [0.1, 0.025, 0.4], efforts: none },
  { id: "openai/gpt-4.1-mini*", window: 1_047_576, price: [0.4, 0.1, 1.6], efforts: none },
  { id: "openai/gpt-4.1*", window: 1_047_576, price: [2, 0.5, 8], efforts: none },
  { id: "openai/gpt-4o-mini*", window: 128_000, price: [0.15, 0.075, 0.6], efforts: none },
  { id: "openai/gpt-4o*", window: 128_000, price: [2.5, 1.25, 10], efforts: none },
  { id: "openai/o4-mini", window: 200_000, price: [1.1, 0.275, 4.4], efforts: threeEfforts },
  { id: "openai/o3-mini", window: 200_000, price: [1.1, 0.55, 4.4], efforts: threeEfforts, images: false },
  { id: "openai/o3", window: 200_000, price: [2, 0.5, 8], efforts: threeEfforts },
  { id: "openai/o1", window: 200_000, efforts: threeEfforts },
  { id: "openai/o3*", window: 200_000, efforts: threeEfforts },

  { id: "anthropic/claude-fable-5*", window: 1_000_000, price: [10, 1, 50], efforts: upToXhigh },
  { id: "anthropic/claude-opus-5-5*", window: 1_000_000, price: [4, 0.4, 20], efforts: upToXhigh },
  { id: "anthropic/claude-opus-5*", window: 1_000_000, price: [5, 0.5, 25], efforts: allFive },
  { id: "anthropic/claude-sonnet-5-5*", window: 1_000_000, price: [2, 0.2, 10], efforts: upToXhigh },
  { id: "anthropic/claude-sonnet-5*", window: 1_000_000, price: [2, 0.2, 10], efforts: allFive },
  { id: "anthropic/claude-haiku-5-5*", window: 1_000_000, efforts: allFive },
  { id: "anthropic/claude-opus-4-8*", window: 1_000_000, price: [5, 0.5, 25], efforts: allFive },
  { id: "anthropic/claude-opus-4-7*", window: 1_000_000, price: [5, 0.5, 25], efforts: allFive },
  { id: "anthropic/claude-opus-4-6*", window: 1_000_000, price: [5, 0.5, 25], efforts: withNone },
  { id: "anthropic/claude-sonnet-4-6*", window: 1_000_000, price: [3, 0.3, 15], efforts: withNone },
  { id: "anthropic/claude-opus-4-5*", window: 200_000, price: [5, 0.5, 25], efforts: withNone },
  { id: "anthropic/claude-haiku-4-5*", window: 200_000, price: [1, 0.1, 5], efforts: withNone },
  { id: "anthropic/claude-sonnet-4*", window: 200_000, price: [3, 0.3, 15], efforts: withNone },
  { id: "anthropic/claude-opus-4*", window: 200_000, price: [15, 1.5, 75], efforts: withNone },
  { id: "anthropic/claude-3-5-haiku*", window: 200_000, price: [0.8, 0.08, 4], efforts: none },
  { id: "anthropic/claude-*", window: 200_000 },

  { id: "ollama/*", price: [0, 0, 0] },
  { id: "demo/*", price: [0, 0, 0], efforts: none },
];

/** The row of a model; its price counts where the provider is the row's own. */
const rowOf = (modelId: string): KnownModel | undefined => knownModels.find(({ id }) => fits(id, modelId));

/** A name as gateways write it, too: `openai/gpt-5.4`, `anthropic/claude-sonnet-4.5`, `gpt-5-2025-08-07`. */
function rowByName(name: string): KnownModel | undefined {
  const bare = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const known = bare.startsWith("claude-") ? bare.replace(/(\d)\.(\d)/g, "$1-$2") : bare;
  return knownModels.find(
    ({ id }) => !id.endsWith("/*") && fits(id.slice(id.indexOf("/") + 1), known.replace(/:.*$/, "")),
  );
}

/** Whether a row, or a price that a person has typed in, is about this model. */
export function fits(pattern: string, model: string): boolean {
  if (pattern.endsWith("*")) return model.startsWith(pattern.slice(0, -1));
  return model === pattern || model.replace(/-\d{4}-\d\d-\d\d$/, "") === pattern;
}

/** What is known of a model by its name, whoever serves it. */
export const knownByName = (name: string): Pick<KnownModel, "window" | "efforts" | "images"> =>
  rowByName(name) ?? {};

/** What its own provider asks for a model; a gateway asks what it likes. */
export const knownPrice = (modelId: string): Price | undefined => toPrice(rowOf(modelId)?.price);

export const toPrice = (price: KnownModel["price"]): Price | undefined =>
  price && { input: price[0], cachedInput: price[1], output: price[2] };

/** By name, since OpenAI-compatible servers do not say it. */
export const seesImages = (name: string): boolean =>
  knownByName(name).images ??
  /vision|[-_.:/]vl\b|qwen[\d.]*-?vl|llava|pixtral|minicpm-v|moondream|gemma-?[34]|gpt-(4o|4\.1|[5-9])|\bo[34]\b|llama-?4|mistral-(small|medium)|gemini|claude|internvl|omni/i.test(
    name,
  );
