import { quarterTokensOf } from "@/lib/protocol/count-tokens";
import { singly } from "./chunks-in";
import { tokensOfTurn } from "./estimate-tokens";
import type { Provider } from "./ports";

/**
 * Ends a turn with `max_tokens` once its text has about `maxTokens`. Providers differ in how they take such a limit, so
 * the rest is not read. The usage, which only the end of a turn tells, is then estimated.
 */
export function withTokenLimit(provider: Provider, maxTokens: number): Provider {
  return {
    async *stream(turn) {
      let quarters = 0;
      for await (const chunk of singly(provider.stream(turn))) {
        yield chunk;
        if (chunk.type !== "text") continue;
        quarters += quarterTokensOf(chunk.content);
        const outputTokens = Math.ceil(quarters / 4);
        if (outputTokens < maxTokens) continue;
        yield { type: "usage", stopReason: "max_tokens", inputTokens: tokensOfTurn(turn), outputTokens };
        return;
      }
    },
  };
}
