import type { ModelChunk } from "@/lib/protocol/chunk";

/** A turn whose first chunk has come. */
export interface StartedTurn {
  first: IteratorResult<ModelChunk>;
  rest: AsyncIterator<ModelChunk>;
}

/**
 * A turn that a wrapper handles only until its first chunk: `start` yields notices and returns the turn that it has
 * started. After that a chunk costs nothing, because the reader gets the promises of that turn itself.
 */
export function passThroughAfterFirst(
  start: () => AsyncGenerator<ModelChunk, StartedTurn>,
): AsyncIterable<ModelChunk> {
  return { [Symbol.asyncIterator]: () => new PassedTurn(start()) };
}

/**
 * Yields notices until the first chunk, and returns that with the rest. Arguments that are still being written are not
 * the first chunk: they count only with their call, and a turn that breaks off before it can be asked for again.
 */
export async function* untilFirstChunk(
  turn: AsyncIterable<ModelChunk>,
): AsyncGenerator<ModelChunk, StartedTurn> {
  const rest = turn[Symbol.asyncIterator]();
  let first: IteratorResult<ModelChunk> | undefined;
  try {
    while (true) {
      const next = await rest.next();
      if (next.done || (next.value.type !== "notice" && next.value.type !== "tool_input")) {
        first = next;
        return { first, rest };
      }
      yield next.value;
    }
  } finally {
    if (!first) await rest.return?.();
  }
}

class PassedTurn implements AsyncIterator<ModelChunk> {
  private rest: AsyncIterator<ModelChunk> | undefined;

  constructor(private readonly start: AsyncGenerator<ModelChunk, StartedTurn>) {}

  next(): Promise<IteratorResult<ModelChunk>> {
    return this.rest ? this.rest.next() : this.nextOfStart();
  }

  async return(): Promise<IteratorResult<ModelChunk>> {
    if (this.rest) await this.rest.return?.();
    else await this.start.return({ first: done, rest: this });
    return done;
  }

  private async nextOfStart(): Promise<IteratorResult<ModelChunk>> {
    const step = await this.start.next();
    if (!step.done) return step;
    this.rest = step.value.rest;
    return step.value.first;
  }
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };
