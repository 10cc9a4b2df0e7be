import { beforeSseWrite } from "@/lib/faults/fault-points";
import { encodeEvent, heartbeat } from "@/lib/protocol/sse";
import type { EventFeed, EventSink } from "@/lib/server/http/event-feed";
import { Packet } from "@/lib/server/http/packet";
import { readerClock } from "@/lib/server/http/reader-clock";
import type { Batch, toBatch } from "@/lib/server/loop/frames";
import type { LiveRun } from "@/lib/server/loop/live-run";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunTail } from "@/lib/server/loop/run-tail";
import { completeLog, endingMs } from "@/lib/server/loop/stored-run";
import type { RunRow } from "@/lib/store/types";
import { logPages } from "./log-pages";
import { remoteRuns } from "./remote-runs";
import { toRunEvent } from "./run-event";
import { nextAfter } from "./waiting-messages";

/** Of the clock, without a byte; so a heartbeat comes after 10 to 15 s of silence. */
const ticksOfSilence = 3;
/** Of the clock, during which a reader has taken nothing: five minutes. It can go on where it was. */
const ticksUntilDropped = 60;

const beat = new Packet(heartbeat);

/** In which form a reader gets a run; one that keeps something between two batches has one reader. */
export interface RunForm {
  /** Before all else, while nothing is known yet. */
  readonly greeting: Packet;
  /** `isReset`: it has asked for what comes after an event that is not there. */
  open(row: RunRow, seq: number, isReset: boolean): Packet;
  /** What has come after `seq`; nothing when there is nothing new. */
  ofTail(tail: RunTail, seq: number, mayMerge: boolean): Batch | undefined;
  /** The same of a page of the log, which is encoded for everybody unless told. */
  readonly toBatch?: typeof toBatch;
  /** `live`: where this process has driven it to its end. */
  end(deps: RunDeps, row: RunRow, live: LiveRun | undefined): Promise<Packet>;
}

/** As events of Meguri's API, which all readers share. */
const events: RunForm = {
  greeting: beat,
  open(row, seq, isReset) {
    const reset = isReset ? encodeEvent({ event: "reset" }) : "";
    return new Packet(encodeEvent({ event: "run", data: toRunEvent(row, seq) }) + reset);
  },
  ofTail: (tail, seq, mayMerge) => tail.batchAfter(seq, mayMerge),
  end: readEnd,
};

/**
 * One reader of a run: the events after the last one it has seen, then live ones, then `end`. From the tail of the run,
 * or from the log where the tail does not reach back so far; only as much as it takes, so a slow one holds one batch.
 */
export class RunReader implements EventFeed {
  private sink: EventSink | undefined;
  /** Undefined for a run that has ended, or that another process drives or has taken over. */
  private live: LiveRun | undefined;
  private tail: RunTail | undefined;
  /** Of one that another process drives: how no more is heard of it. */
  private unfollow: (() => void) | undefined;
  /** Of such a one: nothing has come since the end of its log was reached. */
  private isCaughtUp = false;
  private hasNews = false;
  /** Of such a one: its record is to be read at the end of its log. */
  private mayHaveEnded = true;
  /** The number of the last event when it came: what stood there already is given as it stands. */
  private end = 0;
  private hasRoom = true;
  private isReading = false;
  private quietTicks = 0;
  /** What it was given last: others who come to the same place get the same. */
  private held: Batch | undefined;

  constructor(
    private readonly deps: RunDeps,
    private readonly row: RunRow,
    private seq: number,
    private readonly form: RunForm = events,
  ) {
    this.live = deps.runs.get(row.id);
    this.tail = this.live?.tail;
  }

  start(sink: EventSink): void {
    this.sink = sink;
    readerClock.add(this);
    this.write(this.form.greeting);
    if (this.tail) {
      this.tail.join(this);
      this.open(this.tail.lastSeq);
    } else {
      if (this.row.status === "running") this.follow();
      this.whileReading(async () => this.open(await this.deps.store.log.lastSeq(this.row.id)));
    }
  }

  resume(): void {
    this.hasRoom = true;
    this.quietTicks = 0;
    this.wake();
  }

  leave(): void {
    this.sink = this.held = undefined;
    this.tail?.leave(this);
    this.unfollow?.();
    readerClock.delete(this);
  }

  /** Hands over what there is, as long as it is taken. Whatever becomes of a reader, its run goes on. */
  wake(): void {
    try {
      while (this.sink && this.hasRoom && !this.isReading) if (!this.sendNext()) return;
    } catch {
      this.finish((sink) => sink.drop());
    }
  }

  /** Called by the clock. */
  tick(): void {
    this.quietTicks++;
    if (!this.hasRoom && this.quietTicks >= ticksUntilDropped) this.finish((sink) => sink.drop());
    else if (this.hasRoom && this.quietTicks >= ticksOfSilence) this.write(beat);
  }

  private open(end: number): void {
    this.end = end;
    const isBeyond = this.seq > end;
    if (isBeyond) this.seq = 0;
    this.write(this.form.open(this.row, this.seq, isBeyond));
    if (!this.isReading) this.wake();
  }

  /** False when it has everything there is. */
  private sendNext(): boolean {
    if (this.isCaughtUp) return false;
    if (!this.tail?.reaches(this.seq)) this.whileReading(() => this.sendPage());
    else {
      const batch = this.form.ofTail(this.tail, this.seq, this.seq >= this.end);
      if (batch) this.send(batch);
      else if (this.live?.isLost) this.goOnElsewhere();
      else if (this.tail.isClosed) this.whileReading(() => this.sendEnd());
      else return false;
    }
    return true;
  }

  private follow(): void {
    this.unfollow = remoteRuns(this.deps.store).follow(this.row.id, this.noteNews);
  }

  /** Others have taken the run over: they give it its end. */
  private goOnElsewhere(): void {
    this.tail?.leave(this);
    this.live = this.tail = undefined;
    this.follow();
  }

  /** What comes meanwhile waits; a log that cannot be read ends the stream without `end`. */
  private whileReading(read: () => Promise<void>): void {
    this.isReading = true;
    read().then(
      () => {
        this.isReading = false;
        this.wake();
      },
      () => this.finish((sink) => sink.end()),
    );
  }

  private readonly noteNews = (mayHaveEnded: boolean): void => {
    this.hasNews = true;
    this.mayHaveEnded ||= mayHaveEnded;
    this.isCaughtUp = false;
    this.wake();
  };

  private async sendPage(): Promise<void> {
    const { log } = this.deps.store;
    this.hasNews = false;
    const before = performance.now();
    const page = await logPages(log).read({
      ...{ runId: this.row.id, seq: this.seq, mayMerge: this.seq >= this.end },
      isTail: this.unfollow !== undefined && this.seq >= this.end,
      ...(this.form.toBatch && { toBatch: this.form.toBatch }),
    });
    const { batch } = page;
    // One that was read before for somebody else says nothing of what has come since.
    const isAtEnd = () => page.isLast && page.at >= before && !this.hasNews;
    if (batch) {
      // What stood there when the reader came is no measure of how far behind it is.
      if (this.unfollow && batch.at !== undefined && batch.last > this.end)
        this.deps.onRemoteRead?.(Math.max(0, Date.now() - batch.at) / 1_000);
      this.send(batch);
      this.isCaughtUp = this.unfollow !== undefined && !this.mayHaveEnded && isAtEnd();
    } else if (this.unfollow && !(await this.hasEnded())) this.isCaughtUp = isAtEnd();
    else await this.sendEnd();
  }

  /** Of one that another process drives: its record says so before its log, which is completed when nobody does it. */
  private async hasEnded(): Promise<boolean> {
    const { runs, log } = this.deps.store;
    if (!this.mayHaveEnded) return false;
    this.mayHaveEnded = false;
    const row = await runs.get(this.row.userId, this.row.id);
    if (row?.status === "running") return false;
    this.mayHaveEnded = true;
    const [last] = this.seq > 0 ? await log.read(this.row.id, this.seq - 1, 1) : [];
    if (!row || last?.data.type === "result") return true;
    // What it writes is read by the next page.
    this.hasNews ||= await completeLog(this.deps, row);
    return row.endedAt === null || Date.now() - row.endedAt > 2 * endingMs;
  }

  private async sendEnd(): Promise<void> {
    const read = () => this.form.end(this.deps, this.row, this.live);
    const isShared = this.form === events;
    const last = await (this.tail && isShared ? this.tail.lastPacket(read) : read());
    this.finish((sink) => sink.end(last));
  }

  private send(batch: Batch): void {
    this.seq = batch.last;
    this.held = batch;
    this.write(batch.packet);
  }

  private write(packet: Packet): void {
    if (!this.sink || packet.isEmpty) return;
    try {
      beforeSseWrite?.();
    } catch {
      this.finish((sink) => sink.drop());
      return;
    }
    this.quietTicks = 0;
    this.hasRoom = this.sink.write(packet);
  }

  private finish(last: (sink: EventSink) => void): void {
    const { sink } = this;
    this.leave();
    if (sink) last(sink);
  }
}

async function readEnd(deps: RunDeps, row: RunRow, live: LiveRun | undefined): Promise<Packet> {
  // One that is gone was stopped and deleted with its conversation.
  const status = live?.endedAs ?? (await deps.store.runs.get(row.userId, row.id))?.status ?? "stopped";
  const next = live ? live.next : await nextAfter(deps, row.id);
  return new Packet(encodeEvent({ event: "end", data: { status, ...(next !== undefined && { next }) } }));
}
