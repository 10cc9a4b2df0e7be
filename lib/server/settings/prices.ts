import type { Price, PriceItem } from "@/lib/protocol/settings";
import type { BaseDeps } from "@/lib/server/base-deps";

/**
 * What well-known models cost, US dollars for a million tokens, as the providers' pages said in November 2025; people
 * correct it in the settings. The first that fits counts. What is not here has no price, which is not the same as free.
 */
const shipped: readonly (readonly [model: string, input: number, cachedInput: number, output: number])[] = [
  ["google/gemini-2.5-flash-lite*", 0.1, 0.01, 0.4],
  ["google/gemini-2.5-flash*", 0.3, 0.03, 2.5],
  ["google/gemini-2.5-pro*", 1.25, 0.125, 10],
  ["google/gemini-2.0-flash-lite*", 0.075, 0.075, 0.3],
  ["google/gemini-2.0-flash*", 0.1, 0.025, 0.4],
  ["openai/gpt-5-nano*", 0.05, 0.005, 0.4],
  ["openai/gpt-5-mini*", 0.25, 0.025, 2],
  ["openai/gpt-5", 1.25, 0.125, 10],
  ["openai/gpt-5.1", 1.25, 0.125, 10],
  ["openai/gpt-4.1-nano*", 0.1, 0.025, 0.4],
  ["openai/gpt-4.1-mini*", 0.4, 0.1, 1.6],
  ["openai/gpt-4.1*", 2, 0.5, 8],
  ["openai/gpt-4o-mini*", 0.15, 0.075, 0.6],
  ["openai/gpt-4o*", 2.5, 1.25, 10],
  ["anthropic/claude-haiku-4-5*", 1, 0.1, 5],
  ["anthropic/claude-sonnet-4*", 3, 0.3, 15],
  ["anthropic/claude-opus-4-5*", 5, 0.5, 25],
  ["anthropic/claude-opus-4*", 15, 1.5, 75],
  ["anthropic/claude-3-5-haiku*", 0.8, 0.08, 4],
  ["ollama/*", 0, 0, 0],
];

type Own = Record<string, Price>;

const readOwn = async ({ store }: Pick<BaseDeps, "store">, userId: string): Promise<Own> =>
  (await store.settings.get<Own>(userId, "prices")) ?? {};

/** The user's own first, then those that are shipped and not replaced. */
export async function listPrices(deps: Pick<BaseDeps, "store">, userId: string): Promise<PriceItem[]> {
  const own = await readOwn(deps, userId);
  return [
    ...Object.entries(own).map(([model, price]) => ({ model, ...price, source: "yours" as const })),
    ...shipped
      .filter(([model]) => !Object.hasOwn(own, model))
      .map(([model, input, cachedInput, output]) => ({
        model,
        input,
        cachedInput,
        output,
        source: "shipped" as const,
      })),
  ];
}

/** The price of a model: one that names it exactly, else the first whose beginning fits. */
export async function priceOf(
  deps: Pick<BaseDeps, "store">,
  userId: string,
  model: string,
): Promise<Price | undefined> {
  const prices = await listPrices(deps, userId);
  return (
    prices.find((price) => price.model === model) ??
    prices.find((price) => price.model.endsWith("*") && model.startsWith(price.model.slice(0, -1)))
  );
}
