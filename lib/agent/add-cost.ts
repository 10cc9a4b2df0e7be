import type { ModelChunk } from "@/lib/protocol/chunk";

/** US dollars for a million tokens. */
export interface TokenPrice {
  input: number;
  /** Of tokens that the provider had cached; as `input` where it is not named. */
  cachedInput?: number;
  output: number;
}

/** For `mapTurn`: the same chunk, and what it cost where it tells of tokens. */
export function addCost(price: TokenPrice): (chunk: ModelChunk) => ModelChunk {
  const { input, cachedInput = input, output } = price;
  return (chunk) => {
    if (chunk.type !== "usage" || chunk.cost !== undefined) return chunk;
    const { inputTokens, outputTokens, cachedInputTokens: cached = 0 } = chunk;
    const fresh = Math.max(0, inputTokens - cached);
    return { ...chunk, cost: (fresh * input + cached * cachedInput + outputTokens * output) / 1_000_000 };
  };
}
