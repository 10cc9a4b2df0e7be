import type { Chunk } from "@/lib/protocol/chunk";
import { kindOf } from "@/lib/protocol/chunk-kinds";
import type { LogSource, RunLog, Urgency } from "@/lib/store/ports";
import type { LogEvent } from "@/lib/store/types";

/** As much of a run may wait for its commit; then its writer waits too. */
const maxChunks = 256;
const maxCharacters = 65_536;

const order: readonly Urgency[] = ["late", "soon", "now", "durable"];

/** Events of one commit, and those of their writers that wait for it; the others were told that they are taken care of. */
interface Gathered {
  events: LogEvent[];
  writers: PromiseWithResolvers<void>[];
}

const nothing = (): Gathered => ({ events: [], writers: [] });

interface LogListener {
  /** Whether the commit of this one can come later still and nobody has to wait for it, as what it tells is stored elsewhere. */
  isLate?(chunk: Chunk): boolean;
  /** Of a chunk for whose commit nobody waits. */
  onTaken(chunk: Chunk): void;
  onStored(events: readonly LogEvent[]): void;
}

/**
 * What is written to the log of one run: chunks that come while a commit is under way gather for the next one. Chunks get
 * their numbers with the commit, so that one that fails leaves no gap.
 */
export class LogWindow implements LogSource {
  /** Number of the last event that is stored. */
  private seq = 0;
  private gathered = nothing();
  private characters = 0;
  private underWay = nothing();
  private lastStored: Chunk | undefined;
  private asked: Urgency | undefined;
  private fault: { cause: unknown } | undefined;
  private isShut = false;
  /** The last of the writers that wait for room. */
  private queue: Promise<void> | undefined;
  private taking = Promise.withResolvers<void>();
  private settling: PromiseWithResolvers<void> | undefined;

  constructor(
    readonly runId: string,
    private readonly log: Pick<RunLog, "request">,
    private readonly listener: LogListener,
  ) {}

  /**
   * Resolves when the chunk is stored. Of one that goes soon and is small nobody waits for the commit: nothing is
   * returned when it is taken, and if it cannot be stored, every later write rejects.
   */
  write(chunk: Chunk): Promise<void> | undefined {
    return this.queue || this.isFull ? this.writeInTurn(chunk) : this.add(chunk);
  }

  /** All that is taken and not stored yet, in order. */
  *pending(): Generator<Chunk, void> {
    for (const { data } of this.underWay.events) yield data;
    for (const { data } of this.gathered.events) yield data;
  }

  /** Resolves when all that was taken is stored; rejects when a part of it cannot be. */
  async flush(): Promise<void> {
    if (this.underWay.events.length > 0 || this.gathered.events.length > 0) {
      this.settling ??= Promise.withResolvers();
      this.request("now");
      await this.settling.promise;
    }
    if (this.fault) throw this.fault.cause;
  }

  /** Nothing more of it is stored: others go on with its log. */
  shut(cause: unknown): void {
    this.isShut = true;
    this.fault = { cause };
    for (const { reject } of this.gathered.writers) reject(cause);
    this.gathered = nothing();
    this.characters = 0;
    this.makeRoom();
  }

  /** Takes chunks again after a fault: those that were lost are told of by whoever ends the run. */
  reopen(): void {
    if (!this.isShut) this.fault = undefined;
  }

  take(): readonly LogEvent[] {
    const { events } = this.gathered;
    this.underWay = this.gathered;
    this.gathered = nothing();
    this.characters = 0;
    this.asked = undefined;
    let { seq } = this;
    for (const event of events) event.seq = ++seq;
    this.makeRoom();
    return events;
  }

  stored(): void {
    const { events, writers } = this.underWay;
    this.underWay = nothing();
    this.seq += events.length;
    this.lastStored = events.at(-1)?.data ?? this.lastStored;
    this.listener.onStored(events);
    for (const { resolve } of writers) resolve();
    this.goOn();
  }

  failed(cause: unknown): void {
    const lost = this.underWay;
    this.underWay = nothing();
    for (const { reject } of lost.writers) reject(cause);
    // Nothing may follow a chunk whose writer believes that it is stored.
    if (lost.events.length > lost.writers.length) {
      this.fault = { cause };
      for (const { reject } of this.gathered.writers) reject(cause);
      this.gathered = nothing();
      this.characters = 0;
    }
    this.goOn();
  }

  private get isFull(): boolean {
    return this.gathered.events.length >= maxChunks || this.characters >= maxCharacters;
  }

  private async writeInTurn(chunk: Chunk): Promise<void> {
    const before = this.queue;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.queue = promise;
    await before;
    while (this.isFull && !this.fault) await this.taking.promise;
    if (this.queue === promise) this.queue = undefined;
    resolve();
    await this.add(chunk);
  }

  private add(chunk: Chunk): Promise<void> | undefined {
    if (this.fault) return Promise.reject(this.fault.cause);
    const { events, writers } = this.gathered;
    const last = (events.at(-1) ?? this.underWay.events.at(-1))?.data ?? this.lastStored;
    if (last?.type === "result") return Promise.reject(new Error("A run's log ends with its result."));
    const at = chunk.at ?? Date.now();
    const data = goesOn(last, chunk) || chunk.at !== undefined ? chunk : { ...chunk, at };
    events.push({ seq: 0, at, data });
    const isLate = this.listener.isLate?.(chunk);
    if (isTakenAtOnce(chunk) || isLate) {
      this.characters += "content" in chunk ? chunk.content.length + signatureLength(chunk) : 0;
      this.request(this.isFull ? "now" : isLate ? "late" : "soon");
      this.listener.onTaken(data);
      return undefined;
    }
    const written = Promise.withResolvers<void>();
    writers.push(written);
    this.request(kindOf(chunk).write === "durable" ? "durable" : "now");
    return written.promise;
  }

  private request(urgency: Urgency): void {
    if (this.asked && order.indexOf(urgency) <= order.indexOf(this.asked)) return;
    this.asked = urgency;
    if (this.underWay.events.length === 0) this.log.request(this, urgency);
  }

  private goOn(): void {
    if (this.gathered.events.length > 0) this.log.request(this, this.asked ?? "soon");
    else {
      this.asked = undefined;
      this.settling?.resolve();
      this.settling = undefined;
      this.makeRoom();
    }
  }

  private makeRoom(): void {
    this.taking.resolve();
    this.taking = Promise.withResolvers();
  }
}

/**
 * Pieces, and what is small or bounded and comes before or after them: of these nobody waits for the commit. A call is
 * stored with its intent, or with the question about it.
 */
export function isTakenAtOnce({ type }: Chunk): boolean {
  return (
    type === "text" ||
    type === "reasoning" ||
    type === "tool_input" ||
    type === "tool_call" ||
    type === "iteration" ||
    type === "request" ||
    type === "usage"
  );
}

const signatureLength = (chunk: Chunk): number =>
  "signature" in chunk && chunk.signature ? chunk.signature.length : 0;

/** Whether a chunk is another piece of what the one before is a piece of. */
function goesOn(before: Chunk | undefined, chunk: Chunk): boolean {
  if (chunk.type === "text" || chunk.type === "reasoning") return before?.type === chunk.type;
  return chunk.type === "tool_input" && before?.type === "tool_input" && before.id === chunk.id;
}
