import type { Usage } from "./chunk";

export function addUsage(total: Usage, { inputTokens, outputTokens, cachedInputTokens }: Usage): void {
  total.inputTokens += inputTokens;
  total.outputTokens += outputTokens;
  if (cachedInputTokens) total.cachedInputTokens = (total.cachedInputTokens ?? 0) + cachedInputTokens;
}
