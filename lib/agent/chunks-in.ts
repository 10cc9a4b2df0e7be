import type { Chunk } from "@/lib/protocol/chunk";

/** The chunks of a step: of one, or of several that came at once. */
export const chunksIn = <C extends Chunk>(step: C | Iterable<C>): Iterable<C> =>
  Symbol.iterator in step ? step : [step];

/** Whether a step is a chunk by itself. */
export const isOne = <C extends Chunk>(step: C | Iterable<C>): step is C => !(Symbol.iterator in step);

/** Steps chunk by chunk, at the price of a generator: for callers that do not stand in the way of every token. */
export async function* singly<C extends Chunk>(
  steps: AsyncIterable<C | Iterable<C>>,
): AsyncGenerator<C, void> {
  for await (const step of steps)
    if (isOne(step)) yield step;
    else for (const chunk of step) yield chunk;
}
