import type { ModelChunk } from "@/lib/protocol/chunk";

/** Where a turn has got to, from its first chunk on. */
export interface Begun {
  first: IteratorResult<ModelChunk>;
  rest: AsyncIterator<ModelChunk>;
}

/**
 * A turn that is looked after only until its first chunk: `begin` yields notices and returns what it has begun. From
 * then on a chunk costs nothing, since the reader is given the promises of the turn itself.
 */
export function handOn(begin: () => AsyncGenerator<ModelChunk, Begun>): AsyncIterable<ModelChunk> {
  return { [Symbol.asyncIterator]: () => new Handed(begin()) };
}

/**
 * Passes notices on until the first chunk, which it returns with the rest. Arguments that are being written are not yet
 * it: they count only with their call, and a turn that breaks before can be asked for again.
 */
export async function* untilFirst(turn: AsyncIterable<ModelChunk>): AsyncGenerator<ModelChunk, Begun> {
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

class Handed implements AsyncIterator<ModelChunk> {
  private rest: AsyncIterator<ModelChunk> | undefined;

  constructor(private readonly beginning: AsyncGenerator<ModelChunk, Begun>) {}

  next(): Promise<IteratorResult<ModelChunk>> {
    return this.rest ? this.rest.next() : this.begin();
  }

  async return(): Promise<IteratorResult<ModelChunk>> {
    if (this.rest) await this.rest.return?.();
    else await this.beginning.return({ first: over, rest: this });
    return over;
  }

  private async begin(): Promise<IteratorResult<ModelChunk>> {
    const step = await this.beginning.next();
    if (!step.done) return step;
    this.rest = step.value.rest;
    return step.value.first;
  }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };
