import { ChosenContext } from "@/lib/agent/chosen-context";
import { LoopStop } from "@/lib/agent/ports";
import { ResultArchive } from "@/lib/agent/with-result-reader";
import type { AgenticLoopResult, Chunk, StepChunk } from "@/lib/protocol/chunk";
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
import { hasIntent } from "./gateway-intent";
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
  /** Resolves when its row survives a power cut: no call is sent before. */
  durable: Promise<void> = Promise.resolve();
  /** How it has ended, once that is stored. */
  endedAs: RunStatus | undefined;
  /** The same as the record has it, which is before its log does. */
  stored: AgenticLoopResult | undefined;
  /** The run that was begun with what waited behind it. */
  next: string | undefined;
  /** Whether messages of its chain may wait, and whether one of them may be for its next turn: nobody asks the store otherwise. */
  mayHaveQueue: boolean;
  mayBeSteered: boolean;
  /** Whether others have taken it over. */
  isLost = false;
  private closed = Promise.withResolvers<void>();
  private readonly window: LogWindow;
  /** Of a run whose intent stands in its row: what was written and is not stored yet, or was refused … */
  private readonly unstored = new Set<Chunk>();
  /** … and of it what counts already. */
  private readonly noted = new WeakSet<Chunk>();
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
      isLate: (chunk) => this.isLate(chunk),
      onTaken: (chunk) => this.onTaken(chunk),
      onStored: (events) => this.onStored(events),
    });
  }

  /**
   * Stores a chunk, after those before it, and hands it to the readers; resolves when it is stored. For pieces of the
   * answer, which go into the next commit, nothing is returned while there is room for them: `flush` waits for those.
   */
  write(chunk: Chunk): Promise<void> | undefined {
    if (!hasIntent(this.row)) return this.window.write(chunk);
    const timed = { ...chunk, at: chunk.at ?? Date.now() };
    this.unstored.add(timed);
    return this.window.write(timed);
  }

  /** Resolves when all that was written is stored; rejects when a part of it cannot be. */
  flush(): Promise<void> {
    return this.window.flush();
  }

  /** All that its log has or gets. */
  get known(): Chunk[] {
    return [...this.chunks, ...this.unstored];
  }

  /** Resolves when all of that is stored with this behind it; what was refused before is tried again. Rejects when it is again. */
  async writeEnd(end: readonly Chunk[]): Promise<void> {
    for (const chunk of end) if (!this.chunks.includes(chunk)) this.unstored.add(chunk);
    this.window.reopen();
    const pending = new Set(this.window.pending());
    const written = [...this.unstored].flatMap((chunk) =>
      pending.has(chunk) ? [] : this.window.write(chunk),
    );
    await Promise.all([...written, this.flush()]);
  }

  /** The record has its end, which the log may still lack. */
  noteEnd(result: AgenticLoopResult): void {
    this.stored = result;
    this.tail.wake();
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

  /**
   * The intent of a program's call stands in the row of its run, as long as nothing else is said of it, and its result and its end are in the
   * record before anybody hears of them.
   */
  private isLate(chunk: Chunk): boolean {
    if (!hasIntent(this.row)) return false;
    if (chunk.type === "tool_result" || chunk.type === "result") return true;
    const isAsked = (known: Chunk) => isTakenAtOnce(known) || known.type === "tool_start";
    return isAsked(chunk) && this.known.every(isAsked);
  }

  private onTaken(chunk: Chunk): void {
    // The turn that comes next is judged by it.
    if (isTakenAtOnce(chunk)) this.chain.budgetUsage.add(chunk);
    else {
      this.noted.add(chunk);
      this.note(chunk);
    }
  }

  private note(chunk: Chunk): void {
    const { open, allowed, budgetUsage, steps, plan } = this.chain;
    openCalls([chunk], open);
    allowed.add(chunk);
    budgetUsage.add(chunk);
    steps.add(chunk);
    plan.add(chunk);
  }

  private onStored(stored: readonly LogEvent[]): void {
    // What the model was sent is in the store now, and is read from there.
    const events = stored.map((event) => {
      const data = withoutContents(event.data);
      return data === event.data ? event : { ...event, data };
    });
    for (const { data } of events) {
      this.unstored.delete(data);
      this.chunks.push(data);
      // None of these tells of a call or a permission, and the budget knows them.
      if (!isTakenAtOnce(data) && !this.noted.has(data)) this.note(data);
    }
    this.tail.add(events);
  }
}
