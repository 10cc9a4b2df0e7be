import { ChosenContext } from "@/lib/agent/chosen-context";
import { LoopStop } from "@/lib/agent/ports";
import { ResultArchive } from "@/lib/agent/with-result-reader";
import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import type { RunStatus } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import { openCalls } from "@/lib/protocol/open-calls";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { withoutContents } from "@/lib/protocol/redact";
import { StoreError } from "@/lib/store/errors";
import type { RunLog } from "@/lib/store/ports";
import type { AnswerChunk, LogEvent, RunRow } from "@/lib/store/types";
import type { Chain } from "./chain";
import { EndRetry } from "./end-retry";
import { isTakenAtOnce, LogWindow } from "./log-window";
import { RunTail } from "./run-tail";
import type { WireRecording } from "./wire-recording";

/** Not for a person: readers come back, and read on where it goes on. */
class LostRunError extends Error {
  override name = "LostRunError";
  constructor() {
    super("The run is in the hands of another process.");
  }
}

/** A run that this process drives: writes its log, hands it to its readers, takes answers. */
export class LiveRun {
  readonly abort = new AbortController();
  /** Resolves when the run has ended and everything is stored. */
  readonly ended: Promise<void>;
  /** All that is stored in its log, for the timeline and the result. */
  readonly chunks: Chunk[] = [];
  /** Tool results that its model reads only a part of. */
  readonly archive = new ResultArchive();
  /** How its end gets stored. */
  readonly retry = new EndRetry();
  /** What its readers read. */
  readonly tail = new RunTail();
  /** Those of its conversation, where they have been read already. */
  instructions: string | undefined;
  /** That of its conversation, where it has been read already; null for none. */
  projectId: string | null | undefined;
  /** Of a fork of a workflow: what its log begins with. */
  copies: readonly StepChunk[] = [];
  /** Of what goes over the wire, where that is recorded. */
  wire: WireRecording | undefined;
  /** How it has ended, once that is stored. */
  endedAs: RunStatus | undefined;
  /** The run that was begun with what waited behind it. */
  next: string | undefined;
  /** Whether messages of its chain may wait, and whether one of them may be for its next turn: nobody asks the store otherwise. */
  mayHaveQueue: boolean;
  mayBeSteered: boolean;
  /** Whether others have taken it over. */
  isLost = false;
  private closed = Promise.withResolvers<void>();
  private readonly window: LogWindow;
  private waiters = new Map<ToolCallId, PromiseWithResolvers<void>>();
  private ending = false;

  constructor(
    readonly row: RunRow,
    log: Pick<RunLog, "request">,
    /** What the logs before this one say; kept up to date with this run's own chunks. */
    readonly chain: Chain,
    /** What a person has left out of what its model reads. */
    readonly chosen = new ChosenContext(),
  ) {
    this.ended = this.closed.promise;
    this.mayHaveQueue = this.mayBeSteered = row.continues !== null;
    this.window = new LogWindow(row.id, log, {
      // The turn that comes next is judged by it.
      onTaken: (chunk) => this.chain.budgetUsage.add(chunk),
      onStored: (events) => this.onStored(events),
    });
  }

  /**
   * Stores a chunk, after those before it, and hands it to the readers; resolves when it is stored. For pieces of the
   * answer, which go into the next commit, nothing is returned while there is room for them: `flush` waits for those.
   */
  write(chunk: Chunk): Promise<void> | undefined {
    return this.window.write(chunk);
  }

  /** Resolves when all that was written is stored; rejects when a part of it cannot be. */
  flush(): Promise<void> {
    return this.window.flush();
  }

  /**
   * Puts a person's answer into the log and wakes the call that waits for it; false when the loop has ended before,
   * `conflict` when its question is open no more.
   */
  async answer(chunk: AnswerChunk): Promise<boolean> {
    if (this.ending) return false;
    const log = [...this.chunks, ...this.window.pending()];
    if (!pendingRequests(log).some(({ requestId }) => requestId === chunk.requestId))
      throw new StoreError("conflict", `Question ${chunk.requestId} is not open any more.`);
    await this.write(chunk);
    if (chunk.id) {
      this.waiters.get(chunk.id)?.resolve();
      this.waiters.delete(chunk.id);
    }
    return true;
  }

  /** Ends the plan that holds; false when the loop has ended before. */
  async takePlanBack(chunk: AnswerChunk): Promise<boolean> {
    if (this.isEnding) return false;
    await this.write(chunk);
    return true;
  }

  /** Resolves when an answer to this call has come in. */
  answered(id: ToolCallId): Promise<void> {
    const waiter = this.waiters.get(id) ?? Promise.withResolvers<void>();
    this.waiters.set(id, waiter);
    return waiter.promise;
  }

  /** The first run of its chain, behind which messages wait. */
  get chainId(): string {
    return this.chain.firstId ?? this.row.id;
  }

  /** Messages may wait from now on; said before they are stored, so that no end of the run misses one. */
  expectMessages(): void {
    this.mayHaveQueue = this.mayBeSteered = true;
  }

  /** Its end and what becomes of its queue are stored. */
  settle(): void {
    this.closed.resolve();
  }

  /** No more chunks will come; readers end after what they have. */
  close(): void {
    this.tail.close();
    this.closed.resolve();
  }

  /** Others have taken it over: it ends at once, and nothing of it is stored or sent any more. */
  giveUp(): void {
    this.isLost = true;
    this.window.shut(new LostRunError());
    this.abort.abort(new LoopStop("interrupted"));
  }

  /** The loop has ended and its end is being stored: an answer would come too late. */
  end(): void {
    this.ending = true;
    this.window.reopen();
  }

  get isEnding(): boolean {
    return this.ending;
  }

  private onStored(stored: readonly LogEvent[]): void {
    const { open, allowed, budgetUsage, steps, plan } = this.chain;
    // What the model was sent is in the store now, and is read from there.
    const events = stored.map((event) => {
      const data = withoutContents(event.data);
      return data === event.data ? event : { ...event, data };
    });
    for (const { data } of events) {
      this.chunks.push(data);
      // None of these tells of a call or a permission, and the budget knows them.
      if (isTakenAtOnce(data)) continue;
      openCalls([data], open);
      allowed.add(data);
      budgetUsage.add(data);
      steps.add(data);
      plan.add(data);
    }
    this.tail.add(events);
  }
}
