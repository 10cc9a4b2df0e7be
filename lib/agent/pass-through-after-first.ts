import type { ModelChunk } from "@/lib/protocol/chunk";
import { isOne } from "./chunks-in";
import type { ModelChunks } from "./ports";

/** A turn whose first chunk has come. */
export interface StartedTurn {
  first: IteratorResult<ModelChunks>;
  rest: AsyncIterator<ModelChunks>;
}

/**
 * A turn that a wrapper handles only until its first chunk: `start` yields notices and returns the turn that it has
 * started. After that a chunk costs nothing, because the reader gets the promises of that turn itself.
 */
export function passThroughAfterFirst(
  start: () => AsyncGenerator<ModelChunks, StartedTurn>,
): AsyncIterable<ModelChunks> {
  return { [Symbol.asyncIterator]: () => new PassedTurn(start()) };
}

/**
 * Yields notices until the first chunk, and returns that with the rest. Arguments that are still being written are not
 * the first chunk: they count only with their call, and a turn that breaks off before it can be asked for again.
 */
export async function* untilFirstChunk(
  turn: AsyncIterable<ModelChunks>,
): AsyncGenerator<ModelChunks, StartedTurn> {
  const rest = turn[Symbol.asyncIterator]();
  let first: IteratorResult<ModelChunks> | undefined;
  try {
    while (true) {
      const next = await rest.next();
      if (next.done || !isBeforeFirst(next.value)) {
        first = next;
        return { first, rest };
      }
      yield next.value;
    }
  } finally {
    if (!first) await rest.return?.();
  }
}

/** Whether all that has come may come again with the next try. */
const isBeforeFirst = (step: ModelChunks): boolean => (isOne(step) ? isEarly(step) : step.every(isEarly));

const isEarly = ({ type }: ModelChunk): boolean => type === "notice" || type === "tool_input";

class PassedTurn implements AsyncIterator<ModelChunks> {
  private rest: AsyncIterator<ModelChunks> | undefined;

  constructor(private readonly start: AsyncGenerator<ModelChunks, StartedTurn>) {}

  next(): Promise<IteratorResult<ModelChunks>> {
    return this.rest ? this.rest.next() : this.nextOfStart();
  }

  async return(): Promise<IteratorResult<ModelChunks>> {
    if (this.rest) await this.rest.return?.();
    else await this.start.return({ first: done, rest: this });
    return done;
  }

  private async nextOfStart(): Promise<IteratorResult<ModelChunks>> {
    const step = await this.start.next();
    if (!step.done) return step;
    this.rest = step.value.rest;
    return step.value.first;
  }
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };
