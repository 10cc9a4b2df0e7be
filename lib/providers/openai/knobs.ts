import { passThroughAfterFirst, untilFirstChunk } from "@/lib/agent/pass-through-after-first";
import { type Provider, ProviderError } from "@/lib/agent/ports";
import type { Effort } from "@/lib/protocol/effort";
import type { ModelKnobs } from "@/lib/protocol/settings";
import { readFault } from "@/lib/providers/faults/fault";
import { mayAskAgain } from "@/lib/providers/shared/request-limit";

/** How one server is told of our knobs. */
export interface KnobSpelling {
  /** OpenAI's reasoning models know only the newer name, many other servers only the older one. */
  outputLimit: (typeof outputLimits)[number];
  /** What takes the place of an effort that the server does not know. */
  efforts?: Partial<Record<Effort, Effort>>;
}

const outputLimits = ["max_tokens", "max_completion_tokens"] as const;

/** The fields of a request for these knobs, as JSON with a comma behind each. */
export function writeKnobs(
  { effort, temperature, maxOutputTokens, topP, seed }: ModelKnobs,
  { outputLimit, efforts }: KnobSpelling,
): string {
  let fields = "";
  if (effort !== undefined) fields += `"reasoning_effort":"${efforts?.[effort] ?? effort}",`;
  if (temperature !== undefined) fields += `"temperature":${temperature},`;
  if (topP !== undefined) fields += `"top_p":${topP},`;
  if (seed !== undefined) fields += `"seed":${seed},`;
  if (maxOutputTokens !== undefined) fields += `"${outputLimit}":${maxOutputTokens},`;
  return fields;
}

/** Asks once more with the other name of the largest output where a server knows only that, and keeps to it. */
export function respelled(provider: Provider, spelling: KnobSpelling): Provider {
  return {
    stream: (turn) => {
      if (turn.maxOutputTokens === undefined) return provider.stream(turn);
      return passThroughAfterFirst(async function* () {
        try {
          return yield* untilFirstChunk(provider.stream(turn));
        } catch (cause) {
          const isRefused = !turn.signal.aborted && isUnknown(cause, spelling.outputLimit);
          if (!isRefused || !mayAskAgain(turn)) throw cause;
        }
        spelling.outputLimit = outputLimits[spelling.outputLimit === "max_tokens" ? 1 : 0];
        return yield* untilFirstChunk(provider.stream(turn));
      });
    },
  };
}

function isUnknown(cause: unknown, name: string): boolean {
  if (!(cause instanceof ProviderError) || cause.code !== "bad_response") return false;
  const { status, said, body } = readFault(cause.cause);
  const text = `${said} ${body}`;
  return (status === 400 || status === 422) && text.includes(name) && unknown.test(text);
}

const unknown =
  /unsupported parameter|not supported|unrecognized|unknown|extra (inputs?|fields?)|not permitted/i;
