import { ResultArchive } from "@/lib/agent/with-result-reader";
import type { Chunk } from "@/lib/protocol/chunk";
import { kindOf } from "@/lib/protocol/chunk-kinds";
import type { ToolCallId } from "@/lib/protocol/ids";
import { openCalls } from "@/lib/protocol/open-calls";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { StoreError } from "@/lib/store/errors";
import type { RunLog } from "@/lib/store/ports";
import type { AnswerChunk, LogEvent, RunRow } from "@/lib/store/types";
import type { Chain } from "./chain";
import { EndRetry } from "./end-retry";
import { RunTail } from "./run-tail";

/** A run that this process drives: writes its log, hands it to its readers, takes answers. */
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
  /** What its readers read. */
  readonly tail = new RunTail();
  private closed = Promise.withResolvers<void>();
  private queue: Promise<void> = Promise.resolve();
  private last: Chunk | undefined;
  private waiters = new Map<ToolCallId, PromiseWithResolvers<void>>();
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
    this.tail.close();
    this.closed.resolve();
  }

  /** The loop has ended and its end is being stored: an answer would come too late. */
  end(): void {
    this.ending = true;
  }

  get isEnding(): boolean {
    return this.ending;
  }

  private async store(chunk: Chunk): Promise<void> {
    if (this.last?.type === "result") throw new Error("A run's log ends with its result.");
    const now = chunk.at ?? Date.now();
    const stamped: Chunk = goesOn(this.last, chunk) ? chunk : { ...chunk, at: now };
    const event: LogEvent = { seq: this.tail.lastSeq + 1, at: now, data: stamped };
    await this.log.append(this.row.id, [event], kindOf(chunk).write === "durable");
    this.last = chunk;
    this.chunks.push(stamped);
    openCalls([stamped], this.chain.open);
    this.chain.allowed.add(stamped);
    this.chain.budgetUsage.add(stamped);
    this.tail.add([event]);
  }
}

/** Whether a chunk is another piece of what the one before is a piece of. */
function goesOn(before: Chunk | undefined, chunk: Chunk): boolean {
  if (chunk.type === "text" || chunk.type === "reasoning") return before?.type === chunk.type;
  return chunk.type === "tool_input" && before?.type === "tool_input" && before.id === chunk.id;
}
