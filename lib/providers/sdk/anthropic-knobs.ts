import type { AnthropicLanguageModelOptions } from "@ai-sdk/anthropic";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Turn } from "@/lib/agent/ports";
import { knobsOf, type ModelKnobs } from "@/lib/protocol/settings";
import { hasThoughtBefore } from "./anthropic-prompt";

const thinkingTokens = 8_000;

/** What the SDK is to make of our knobs; a model that has to call a tool refuses to think. */
export function anthropicKnobs(turn: Turn): ModelKnobs {
  const { effort, ...others } = knobsOf(turn);
  return mustCall(turn) || effort === undefined ? others : { effort, ...others };
}

const mustCall = ({ toolChoice }: Turn): boolean =>
  typeof toolChoice === "object" || toolChoice === "required";

/** How it thinks where nobody has set an effort. A model that cannot think refuses to be asked for it. */
export function thinkingFor(
  name: string,
  turn: Turn,
  write: (turn: Turn) => LanguageModelV4Prompt,
): AnthropicLanguageModelOptions["thinking"] {
  const { effort, temperature } = turn;
  // While it thinks it takes no temperature, and that is what somebody has set.
  if (effort !== undefined || temperature !== undefined || mustCall(turn)) return undefined;
  if (/claude-[a-z]+-(4-[6-9](?!\d)|[5-9])/.test(name)) return { type: "adaptive", display: "summarized" };
  const budgeted = /claude-(3-7-sonnet|(opus|sonnet|haiku)-4)/.test(name);
  return budgeted && hasThoughtBefore(write(turn))
    ? { type: "enabled", budgetTokens: thinkingTokens }
    : undefined;
}
