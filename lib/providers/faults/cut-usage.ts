import type { ModelChunk } from "@/lib/protocol/chunk";
import { tokensOf } from "@/lib/protocol/count-tokens";

/** The end of a turn that is not read any further: about what it took, as the provider does not say it any more. */
export const cutUsage = (prompt: string, characters: number): ModelChunk => ({
  type: "usage",
  stopReason: "tool_use",
  inputTokens: tokensOf(prompt),
  outputTokens: Math.ceil(characters / 4),
});
