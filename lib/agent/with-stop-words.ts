import type { ModelChunk } from "@/lib/protocol/chunk";
import { quarterTokensOf } from "@/lib/protocol/count-tokens";
import { singly } from "./chunks-in";
import { tokensOfTurn } from "./estimate-tokens";
import type { Provider } from "./ports";

type Text = Extract<ModelChunk, { type: "text" }>;

/**
 * Ends a turn before the first of these words, which may come in pieces: what could begin one is held back until more has come.
 * The rest of the answer is not read, so its usage, which only its end tells, is estimated.
 */
export function withStopWords(provider: Provider, words: readonly string[]): Provider {
  return {
    async *stream(turn) {
      let quarters = 0;
      let held = "";
      for await (const chunk of singly(provider.stream(turn))) {
        if (chunk.type !== "text") {
          if (held) yield toText(held);
          held = "";
          yield chunk;
          continue;
        }
        quarters += quarterTokensOf(chunk.content);
        const text = held + chunk.content;
        const at = firstOf(words, text);
        if (at !== undefined) {
          if (at > 0) yield toText(text.slice(0, at));
          const outputTokens = Math.ceil(quarters / 4);
          yield { type: "usage", stopReason: "end_turn", inputTokens: tokensOfTurn(turn), outputTokens };
          return;
        }
        const end = text.length - heldOf(words, text);
        held = text.slice(end);
        if (end > 0 || chunk.signature) yield { ...chunk, content: text.slice(0, end) };
      }
    },
  };
}

const toText = (content: string): Text => ({ type: "text", content });

function firstOf(words: readonly string[], text: string): number | undefined {
  const found = words.map((word) => text.indexOf(word)).filter((at) => at >= 0);
  return found.length > 0 ? Math.min(...found) : undefined;
}

/** Characters at the end that may be the beginning of one. */
function heldOf(words: readonly string[], text: string): number {
  const longest = Math.min(text.length, Math.max(...words.map((word) => word.length - 1)));
  for (let length = longest; length > 0; length--)
    if (words.some((word) => word.length > length && word.startsWith(text.slice(-length)))) return length;
  return 0;
}
