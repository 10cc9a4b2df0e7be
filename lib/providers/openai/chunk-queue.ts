import type { ModelChunks } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";

export type Step = IteratorResult<ModelChunks>;
export const over: Step = { done: true, value: undefined };

/**
 * Chunks on their way from who reads a socket to who reads the turn; both at their own pace, one `next` at a time, which
 * takes all that there is.
 */
export class ChunkQueue {
  /** Nothing more comes. */
  isOver = false;
  private chunks: ModelChunk[] = [];
  private failure: { cause: unknown } | undefined;
  private reader: PromiseWithResolvers<Step> | undefined;

  get size(): number {
    return this.chunks.length;
  }

  /** Adds a chunk; it is handed out by the next `deliver`, `next` or `end`. */
  push = (chunk: ModelChunk): void => {
    this.chunks.push(chunk);
  };

  next(): Promise<Step> {
    if (this.chunks.length > 0) return Promise.resolve(this.take());
    if (this.isOver) return this.last();
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
    if (!reader || !(this.chunks.length > 0 || this.isOver)) return;
    this.reader = undefined;
    reader.resolve(this.chunks.length > 0 ? this.take() : this.last());
  }

  private take(): Step {
    const value = this.chunks;
    this.chunks = [];
    return { done: false, value };
  }

  private last(): Promise<Step> {
    const { failure } = this;
    this.failure = undefined;
    return failure ? Promise.reject(failure.cause) : Promise.resolve(over);
  }
}
