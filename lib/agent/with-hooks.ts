import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { mapTurn } from "./map-turn";
import { passThroughAfterFirst, untilFirstChunk } from "./pass-through-after-first";
import type { Provider, ToolBox, Turn } from "./ports";

export interface ModelHooks {
  /** Before each turn: gives the turn that is asked for. Throws `LoopStop` or `ProviderError` to veto it. */
  before?: (turn: Turn) => Turn | Promise<Turn>;
  /** Gives the chunk that replaces each chunk of the answer. */
  after?: (chunk: ModelChunk) => ModelChunk;
}

/** Looks at each turn of the model before it is asked for, and at what comes back, and may change both. */
export function withModelHooks(provider: Provider, { before, after }: ModelHooks): Provider {
  const asked: Provider = before
    ? {
        stream: (turn) =>
          passThroughAfterFirst(async function* () {
            return yield* untilFirstChunk(provider.stream(await before(turn)));
          }),
      }
    : provider;
  return after ? mapTurn(asked, after) : asked;
}

export interface ToolHooks {
  /**
   * Before each call: gives the call that is made, with other arguments perhaps, or a result that replaces it,
   * which is a veto. The id stays what it was.
   */
  before?: (call: ToolCall, signal: AbortSignal) => ToolCall | ToolResult | Promise<ToolCall | ToolResult>;
  /** Gives the result that the run keeps and the model reads. Not asked while a call waits for a person. */
  after?: (call: ToolCall, result: ToolResult, signal: AbortSignal) => ToolResult | Promise<ToolResult>;
}

/** Looks at each tool call before it is made, and at its result, and may change both; changed arguments are kept with the result. */
export function withToolHooks(tools: ToolBox, { before, after }: ToolHooks): ToolBox {
  return {
    list: () => tools.list(),
    async call(call, context) {
      const made = before ? await before(call, context.signal) : call;
      if (!("type" in made)) return { ...made, id: call.id };
      const outcome = await tools.call({ ...made, id: call.id }, context);
      if ("waiting" in outcome) return outcome;
      const result = made.args === call.args ? outcome : { ...outcome, args: made.args };
      return after ? { ...(await after(made, result, context.signal)), id: call.id } : result;
    },
  };
}
