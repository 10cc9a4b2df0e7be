import { tokensOf } from "@/lib/protocol/count-tokens";
import { tokensOfTurn } from "./estimate-tokens";
import type { Provider } from "./ports";

/**
 * Ends a turn with `max_tokens` once its text has about as many. Providers differ in how they take such a limit, so the
 * rest is simply not read; the usage, which only the end of a turn tells, is estimated then.
 */
export function withTokenLimit(provider: Provider, maxTokens: number): Provider {
  return {
    async *stream(turn) {
      let text = "";
      for await (const chunk of provider.stream(turn)) {
        yield chunk;
        if (chunk.type !== "text") continue;
        text += chunk.content;
        const outputTokens = tokensOf(text);
        if (outputTokens < maxTokens) continue;
        yield { type: "usage", stopReason: "max_tokens", inputTokens: tokensOfTurn(turn), outputTokens };
        return;
      }
    },
  };
}
