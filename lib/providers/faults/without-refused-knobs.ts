import { passThroughAfterFirst, untilFirstChunk } from "@/lib/agent/pass-through-after-first";
import { type Provider, ProviderError, type Turn } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ModelKnobs } from "@/lib/protocol/settings";
import { readFault } from "./fault";

type Knob = keyof ModelKnobs;

const knobNames = ["effort", "temperature", "maxOutputTokens", "topP", "seed"] as const satisfies Knob[];

/** When what was refused: a knob with its value, as another one may do. */
type Refusals = Readonly<Record<string, number>>;

/** What a model's server has refused in the last 30 days: a newer version of it may take what an older one did not. */
export class RefusedKnobs {
  constructor(
    private readonly kept: { read(): Refusals; write(refusals: Refusals): void },
    private readonly now: () => number,
  ) {}

  has<K extends Knob>(knob: K, value: ModelKnobs[K]): boolean {
    const at = this.kept.read()[nameOf(knob, value)];
    return at !== undefined && this.now() - at < keptMs;
  }

  /** The one of longest ago gives way. */
  add<K extends Knob>(knob: K, value: ModelKnobs[K]): void {
    const name = nameOf(knob, value);
    const others = Object.entries(this.kept.read()).filter(([other]) => other !== name);
    this.kept.write(Object.fromEntries([...others.slice(1 - maxKept), [name, this.now()]]));
  }
}

/** Who takes no seed takes none of them. */
const nameOf = (knob: Knob, value: unknown): string => (knob === "seed" ? knob : `${knob}:${value}`);

const keptMs = 30 * 24 * 3_600_000;
const maxKept = 20;

export interface KnobOptions {
  /** What holds where a turn does not say otherwise. */
  unset: ModelKnobs;
  refused: RefusedKnobs;
}

/**
 * Asks again without the knobs that the model's server names as the reason why it refuses the request, each at most once.
 * What it then answered without is left out from then on.
 */
export function withoutRefusedKnobs(provider: Provider, { unset, refused }: KnobOptions): Provider {
  const hasUnset = Object.keys(unset).length > 0;
  return {
    stream: (said) => {
      const turn = hasUnset ? { ...unset, ...said } : said;
      if (setIn(turn).length === 0) return provider.stream(turn);
      return passThroughAfterFirst(async function* () {
        let asked = without(
          turn,
          setIn(turn).filter((knob) => refused.has(knob, turn[knob])),
        );
        const dropped: Knob[] = [];
        while (true) {
          try {
            const begun = yield* untilFirstChunk(provider.stream(asked));
            for (const knob of dropped) {
              refused.add(knob, turn[knob]);
              yield leftOut(knob);
            }
            return begun;
          } catch (cause) {
            const named = turn.signal.aborted ? [] : setIn(asked).filter((knob) => isNamed(cause, knob));
            if (named.length === 0) throw cause;
            dropped.push(...named);
            asked = without(asked, named);
          }
        }
      });
    },
  };
}

const setIn = (turn: Turn): Knob[] => knobNames.filter((knob) => turn[knob] !== undefined);

function without(turn: Turn, knobs: readonly Knob[]): Turn {
  if (knobs.length === 0) return turn;
  const left = { ...turn };
  for (const knob of knobs) delete left[knob];
  return left;
}

/** Whether a refusal is about this knob. */
function isNamed(cause: unknown, knob: Knob): boolean {
  if (!(cause instanceof ProviderError)) return false;
  const { status, said, body } = readFault(cause.cause);
  if (status !== 400 && status !== 422) return false;
  const text = `${said} ${body}`;
  // What helps there is the other API, with the effort that was asked for.
  if (otherApi.test(text)) return false;
  // A turn that is too long is made shorter; only what is asked for beyond the whole window is too much by itself.
  if (cause.code === "context_overflow") return knob === "maxOutputTokens" && limitTooLarge.test(text);
  return cause.code === "bad_response" && words[knob].test(text);
}

/** In the words of OpenAI, vLLM, Ollama, Gemini and Anthropic. */
const words: Record<Knob, RegExp> = {
  effort: /reasoning|\beffort\b|thinking/i,
  temperature: /\btemperature\b/i,
  maxOutputTokens: /max_?(completion_?|output_?|new_?)?tokens|maximum (allowed )?(number of )?output tokens/i,
  topP: /\btop_?p\b/i,
  seed: /\bseed\b/i,
};
const otherApi = /\/v1\/responses/;
const limitTooLarge = /max_(completion_)?tokens\W[^.]{0,60}too large/i;

/** Tells that a knob is not what the model is asked with. */
export const leftOut = (knob: Knob): ModelChunk => ({
  type: "notice",
  kind: "server",
  message: notices[knob],
});

const notices: Record<Knob, string> = {
  effort: "The model refuses the effort that is set, so it is asked without it.",
  temperature: "The model refuses the temperature that is set, so it is asked without it.",
  maxOutputTokens: "The model refuses the largest output that is set, so it is asked without it.",
  topP: "The model refuses the top_p that the program has set, so it is asked without it.",
  seed: "The model refuses the seed that the program has set, so it is asked without it.",
};
