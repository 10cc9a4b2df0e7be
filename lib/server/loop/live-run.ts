import { ResultArchive } from "@/lib/agent/with-result-reader";
import type { Chunk } from "@/lib/protocol/chunk";
import { kindOf } from "@/lib/protocol/chunk-kinds";
import type { ToolCallId } from "@/lib/protocol/ids";
import { openCalls } from "@/lib/protocol/open-calls";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { redact } from "@/lib/protocol/redact";
import { encodeEvent } from "@/lib/protocol/sse";
import { StoreError } from "@/lib/store/errors";
import type { RunLog } from "@/lib/store/ports";
import type { AnswerChunk, LogEvent, RunRow } from "@/lib/store/types";
import type { Chain } from "./chain";
import { EndRetry } from "./end-retry";

/** Encoded events kept for readers that are up to date; others read the log. */
const tailLength = 512;

export interface Frame {
  seq: number;
  /** The event as it goes over the wire. */
  text: string;
  chunk: Chunk;
}

/** A run that this process drives: writes its log, wakes its readers, takes answers. */
export class LiveRun {
  readonly abort = new AbortController();
  /** Resolves when the run has ended and everything is stored. */
  readonly ended: Promise<void>;
  /** All that was logged, for the timeline and the result. */
  readonly chunks: Chunk[] = [];
  /** Tool results that its model reads only a part of. */
  readonly archive = new ResultArchive();
  /** How its end gets stored. */
  readonly retry = new EndRetry();
  private seq = 0;
  private tail: Frame[] = [];
  private changed = Promise.withResolvers<void>();
  private closed = Promise.withResolvers<void>();
  private queue: Promise<void> = Promise.resolve();
  private last: Chunk | undefined;
  private waiters = new Map<ToolCallId, PromiseWithResolvers<void>>();
  private done = false;
  private ending = false;

  constructor(
    readonly row: RunRow,
    private readonly log: RunLog,
    /** What the logs before this one say; kept up to date with this run's own chunks. */
    readonly chain: Chain,
  ) {
    this.ended = this.closed.promise;
  }

  /** Stores a chunk and hands it to the readers; resolves when it is stored. Concurrent writers are served in turn. */
  write(chunk: Chunk): Promise<void> {
    const written = this.queue.then(() => this.store(chunk));
    this.queue = written.catch(() => {});
    return written;
  }

  /**
   * Puts a person's answer into the log and wakes the call that waits for it; false when the loop has ended before,
   * `conflict` when its question is open no more.
   */
  async answer(chunk: AnswerChunk): Promise<boolean> {
    let stored = false;
    this.queue = this.queue.then(async () => {
      if (this.ending) return;
      if (!pendingRequests(this.chunks).some(({ requestId }) => requestId === chunk.requestId))
        throw new StoreError("conflict", `Question ${chunk.requestId} is not open any more.`);
      await this.store(chunk);
      stored = true;
    });
    const written = this.queue;
    this.queue = written.catch(() => {});
    await written;
    if (chunk.id) {
      this.waiters.get(chunk.id)?.resolve();
      this.waiters.delete(chunk.id);
    }
    return stored;
  }

  /** Resolves when an answer to this call has come in. */
  answered(id: ToolCallId): Promise<void> {
    const waiter = this.waiters.get(id) ?? Promise.withResolvers<void>();
    this.waiters.set(id, waiter);
    return waiter.promise;
  }

  /** No more chunks will come; readers end after what they have. */
  close(): void {
    this.done = true;
    this.changed.resolve();
    this.closed.resolve();
  }

  /** The loop has ended and its end is being stored: an answer would come too late. */
  end(): void {
    this.ending = true;
  }

  get isEnding(): boolean {
    return this.ending;
  }

  get isDone(): boolean {
    return this.done;
  }

  get lastSeq(): number {
    return this.seq;
  }

  /** The frames after `seq`, or nothing when the tail no longer reaches back so far. */
  framesAfter(seq: number): readonly Frame[] | undefined {
    if (seq >= this.seq) return [];
    const first = this.tail[0]?.seq ?? this.seq + 1;
    return seq + 1 < first ? undefined : this.tail.slice(seq + 1 - first);
  }

  /** Resolves at the next change. */
  next(): Promise<void> {
    return this.changed.promise;
  }

  private async store(chunk: Chunk): Promise<void> {
    if (this.last?.type === "result") throw new Error("A run's log ends with its result.");
    const now = chunk.at ?? Date.now();
    const stamped: Chunk = goesOn(this.last, chunk) ? chunk : { ...chunk, at: now };
    const event: LogEvent = { seq: this.seq + 1, at: now, data: stamped };
    await this.log.append(this.row.id, [event], kindOf(chunk).write === "durable");
    this.seq = event.seq;
    this.last = chunk;
    this.chunks.push(stamped);
    openCalls([stamped], this.chain.open);
    this.chain.allowed.add(stamped);
    this.chain.budgetUsage.add(stamped);
    this.tail.push(toFrame(event));
    if (this.tail.length > 2 * tailLength) this.tail = this.tail.slice(-tailLength);
    const { resolve } = this.changed;
    this.changed = Promise.withResolvers();
    resolve();
  }
}

/** Whether a chunk is another piece of what the one before is a piece of. */
function goesOn(before: Chunk | undefined, chunk: Chunk): boolean {
  if (chunk.type === "text" || chunk.type === "reasoning") return before?.type === chunk.type;
  return chunk.type === "tool_input" && before?.type === "tool_input" && before.id === chunk.id;
}

/** With `from`, an event that stands for all from that number on. */
export function toFrame({ seq, data }: Pick<LogEvent, "seq" | "data">, from?: number): Frame {
  const event = data.type === "result" ? "result" : "chunk";
  const shown = redact(data);
  const text = encodeEvent({ event, id: seq, data: from === undefined ? shown : { ...shown, from } });
  return { seq, text, chunk: data };
}
