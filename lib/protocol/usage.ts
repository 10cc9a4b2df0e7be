import type { Usage } from "./chunk";

export function addUsage(total: Usage, { inputTokens, outputTokens, cachedInputTokens, cost }: Usage): void {
  total.inputTokens += inputTokens;
  total.outputTokens += outputTokens;
  if (cachedInputTokens) total.cachedInputTokens = (total.cachedInputTokens ?? 0) + cachedInputTokens;
  if (cost !== undefined) total.cost = (total.cost ?? 0) + cost;
}
