import type { Chunk } from "@/lib/protocol/chunk";
import { redact } from "@/lib/protocol/redact";
import { encodeEvent } from "@/lib/protocol/sse";
import type { LogEvent } from "@/lib/store/types";

/** Events kept for readers that are up to date; others read the log. */
const tailLength = 512;

export interface Frame {
  seq: number;
  /** The event as it goes over the wire. */
  text: string;
  chunk: Chunk;
}

/** The newest events of a run that goes on, as its readers get them. */
export class RunTail {
  private frames: Frame[] = [];
  private seq = 0;
  private changed = Promise.withResolvers<void>();
  private closed = false;

  /** What has just been stored; its numbers go on where the last ones ended. */
  add(stored: readonly LogEvent[]): void {
    for (const event of stored) {
      this.frames.push(toFrame(event));
      this.seq = event.seq;
    }
    if (this.frames.length > 2 * tailLength) this.frames = this.frames.slice(-tailLength);
    this.wake();
  }

  /** No more events will come; readers end after what they have. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  get isClosed(): boolean {
    return this.closed;
  }

  get lastSeq(): number {
    return this.seq;
  }

  /** The frames after `seq`, or nothing when the tail does not reach back so far. */
  framesAfter(seq: number): readonly Frame[] | undefined {
    if (seq >= this.seq) return [];
    const first = this.frames[0]?.seq ?? this.seq + 1;
    return seq + 1 < first ? undefined : this.frames.slice(seq + 1 - first);
  }

  /** Resolves at the next change. */
  next(): Promise<void> {
    return this.changed.promise;
  }

  private wake(): void {
    const { resolve } = this.changed;
    this.changed = Promise.withResolvers();
    resolve();
  }
}

/** With `from`, an event that stands for all from that number on. */
export function toFrame({ seq, data }: Pick<LogEvent, "seq" | "data">, from?: number): Frame {
  const event = data.type === "result" ? "result" : "chunk";
  const shown = redact(data);
  const text = encodeEvent({ event, id: seq, data: from === undefined ? shown : { ...shown, from } });
  return { seq, text, chunk: data };
}
