import { passThroughAfterFirst, untilFirstChunk } from "@/lib/agent/pass-through-after-first";
import { type Provider, ProviderError, type ToolSpec } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { readFault } from "@/lib/providers/faults/fault";

/** How often one turn is asked for once more; some servers name one tool at a time. */
const maxRounds = 10;
const maxNamed = 5;

/**
 * Asks again without the tools that the model's server names as the reason why it refuses the whole request. A tool
 * without which it did answer is left out from then on, as long as its schema is the same.
 */
export function withoutRefusedTools(provider: Provider): Provider {
  const refused = new WeakSet<ToolSpec["inputSchema"]>();
  /** The same list for the same list, as writers keep what they have written by it. */
  const lists = new WeakMap<readonly ToolSpec[], readonly ToolSpec[]>();
  const left = (tools: readonly ToolSpec[]) => {
    const kept = lists.get(tools) ?? tools;
    if (!kept.some(({ inputSchema }) => refused.has(inputSchema))) return kept;
    const fewer = kept.filter(({ inputSchema }) => !refused.has(inputSchema));
    lists.set(tools, fewer);
    return fewer;
  };
  return {
    stream: (turn) =>
      passThroughAfterFirst(async function* () {
        let tools = left(turn.tools);
        const dropped: ToolSpec[] = [];
        for (let round = 0; ; round++) {
          try {
            const asked = tools === turn.tools ? turn : { ...turn, tools };
            const begun = yield* untilFirstChunk(provider.stream(asked));
            for (const { inputSchema } of dropped) refused.add(inputSchema);
            if (dropped.length > 0) yield notice(dropped.map(({ name }) => name));
            return begun;
          } catch (cause) {
            const named = round < maxRounds && !turn.signal.aborted ? namedTools(cause, tools) : [];
            if (named.length === 0) throw cause;
            dropped.push(...named);
            tools = tools.filter((tool) => !named.includes(tool));
          }
        }
      }),
  };
}

/** The tools that a refusal is about, by place or by name, in the words of Gemini, Anthropic, OpenAI and vLLM. */
function namedTools(cause: unknown, tools: readonly ToolSpec[]): ToolSpec[] {
  if (!(cause instanceof ProviderError) || cause.code !== "bad_response") return [];
  const { status, said, body } = readFault(cause.cause);
  if (status !== 400 && status !== 422) return [];
  const text = `${said} ${body}`.replaceAll('\\"', '"');
  if (!/schema|parameters|function|tool/i.test(text)) return [];
  const places = [...text.matchAll(place)].map(([, declared, listed]) => Number(declared ?? listed));
  const byPlace = [...new Set(places)].flatMap((index) => tools[index] ?? []);
  if (byPlace.length > 0) return byPlace;
  return tools.filter(({ name }) => ["'", '"', "`"].some((quote) => text.includes(quote + name + quote)));
}

/** `tools[0].function_declarations[3].parameters…`; `tools[3].function.parameters`, `tools.3.custom.input_schema`. */
const place =
  /function_?declarations\[(\d{1,4})\]|\btools(?:\[|\.)(\d{1,4})\]?\.(?:function\b|custom\b|input_schema|parameters|name)/gi;

function notice(names: readonly string[]): ModelChunk {
  const shown = names.slice(0, maxNamed).join(", ");
  const more = names.length - maxNamed;
  const message =
    more > 0
      ? `The model's server refuses the definitions of some tools, which are left out: ${shown}, and ${more} more.`
      : `The model's server refuses the definitions of some tools, which are left out: ${shown}.`;
  return { type: "notice", kind: "server", message };
}
