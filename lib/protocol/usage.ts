/** Tokens as the provider counts them. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Part of `inputTokens`. */
  cachedInputTokens?: number;
  /** In US dollars, where the price of the model is known. */
  cost?: number;
}

/** What a chain of runs may use; a limit that is not named does not exist. */
export interface Budget {
  /** In and out together. */
  tokens?: number;
  toolCalls?: number;
  /** In US dollars; counts only where the price of the model is known. */
  cost?: number;
  timeMs?: number;
}

export function addUsage(total: Usage, { inputTokens, outputTokens, cachedInputTokens, cost }: Usage): void {
  total.inputTokens += inputTokens;
  total.outputTokens += outputTokens;
  if (cachedInputTokens) total.cachedInputTokens = (total.cachedInputTokens ?? 0) + cachedInputTokens;
  if (cost !== undefined) total.cost = (total.cost ?? 0) + cost;
}
