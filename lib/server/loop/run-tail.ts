import type { Packet } from "@/lib/server/http/packet";
import type { LogEvent } from "@/lib/store/types";
import { type Batch, type Frame, toBatch, toFrame } from "./frames";

/** Events kept for readers that are up to date; others read the log. */
const tailLength = 512;
/** Readers that are served in one turn of the event loop, so that a run with thousands of them delays no other. */
const readersAtOnce = 64;

interface TailReader {
  /** There is something new, or nothing more will come. */
  wake(): void;
}

/** The newest events of a run that goes on, encoded once for all its readers. */
export class RunTail {
  private frames: Frame[] = [];
  private seq = 0;
  private closed = false;
  private readonly readers = new Set<TailReader>();
  private isWaking = false;
  private isChanged = false;
  private last: Promise<Packet> | undefined;
  private newest: { after: number; upTo: number; mayMerge: boolean; batch: Batch | undefined } | undefined;

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

  get readerCount(): number {
    return this.readers.size;
  }

  /** It is woken at each change until it leaves. */
  join(reader: TailReader): void {
    this.readers.add(reader);
  }

  leave(reader: TailReader): void {
    this.readers.delete(reader);
  }

  /** Whether it has every event after `seq`; else they stand in the log alone. */
  reaches(seq: number): boolean {
    return seq + 1 >= (this.frames[0]?.seq ?? this.seq + 1);
  }

  /** What a reader gets that has seen `seq`; nothing when there is nothing new. Readers of the same get the same object. */
  batchAfter(seq: number, mayMerge: boolean): Batch | undefined {
    if (seq >= this.seq) return undefined;
    const { newest } = this;
    if (newest?.after === seq && newest.upTo === this.seq && newest.mayMerge === mayMerge)
      return newest.batch;
    const batch = toBatch(this.framesAfter(seq), mayMerge);
    this.newest = { after: seq, upTo: this.seq, mayMerge, batch };
    return batch;
  }

  /** Those that it has; for a reader that gets them in another form. */
  framesAfter(seq: number): readonly Frame[] {
    const first = this.frames[0]?.seq ?? this.seq + 1;
    return this.frames.slice(seq + 1 - first);
  }

  /** What all readers of a closed one get last; read once. */
  lastPacket(read: () => Promise<Packet>): Promise<Packet> {
    this.last ??= read();
    return this.last;
  }

  /** Has all readers look again. */
  wake(): void {
    this.isChanged = true;
    if (!this.isWaking) this.wakeNext(this.readers.values());
  }

  /** Wakes some and comes back for the rest; who is late finds more at once. */
  private wakeNext(readers: SetIterator<TailReader>): void {
    if (!this.isWaking) this.isChanged = false;
    for (let count = 0; count < readersAtOnce; count++) {
      const { value, done } = readers.next();
      if (done) {
        this.isWaking = false;
        if (this.isChanged) this.wake();
        return;
      }
      value.wake();
    }
    this.isWaking = true;
    setImmediate(() => this.wakeNext(readers));
  }
}
