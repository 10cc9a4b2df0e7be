import type { ModelChunk } from "@/lib/protocol/chunk";

export type Step = IteratorResult<ModelChunk>;
export const over: Step = { done: true, value: undefined };

/** Chunks on their way from who reads a socket to who reads the turn; both at their own pace, one `next` at a time. */
export class ChunkQueue {
  /** Nothing more comes. */
  isOver = false;
  private chunks: ModelChunk[] = [];
  private taken = 0;
  private failure: { cause: unknown } | undefined;
  private reader: PromiseWithResolvers<Step> | undefined;

  get size(): number {
    return this.chunks.length - this.taken;
  }

  /** Adds a chunk; it is handed out by the next `deliver`, `next` or `end`. */
  push = (chunk: ModelChunk): void => {
    this.chunks.push(chunk);
  };

  next(): Promise<Step> {
    const value = this.chunks[this.taken];
    if (value) {
      this.taken++;
      return Promise.resolve({ done: false, value });
    }
    if (this.isOver) return this.last();
    this.chunks = [];
    this.taken = 0;
    this.reader = Promise.withResolvers();
    return this.reader.promise;
  }

  /** Ends it; a failure is thrown after what has come before it. */
  end(failure?: { cause: unknown }): void {
    if (this.isOver) return;
    this.isOver = true;
    this.failure = failure;
    this.deliver();
  }

  deliver(): void {
    const { reader } = this;
    const value = this.chunks[this.taken];
    if (!reader || !(value || this.isOver)) return;
    this.reader = undefined;
    if (value) {
      this.taken++;
      reader.resolve({ done: false, value });
    } else reader.resolve(this.last());
  }

  private last(): Promise<Step> {
    const { failure } = this;
    this.failure = undefined;
    return failure ? Promise.reject(failure.cause) : Promise.resolve(over);
  }
}
