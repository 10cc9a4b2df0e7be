import { type Batch, maxBatchChars, toBatch, toFrame } from "@/lib/server/loop/frames";
import type { RunLog } from "@/lib/store/ports";
import type { LogEvent, Tail, TailPlace } from "@/lib/store/types";

type Log = Pick<RunLog, "read" | "tails">;

interface Place {
  runId: string;
  /** The last event that was seen. */
  seq: number;
  mayMerge: boolean;
  /** At the end of a log that grows, where others wait at theirs. */
  isTail?: boolean;
  /** For one reader alone, in a form of its own. */
  toBatch?: typeof toBatch;
}

export interface Page {
  /** Undefined where nothing stands after the place. */
  batch: Batch | undefined;
  /** Nothing stood after it when it was read, which began at `at`; `performance.now()`. */
  isLast: boolean;
  at: number;
}

const pageSize = 256;
/** Places that are remembered; each is a few hundred bytes. */
const maxPlaces = 1_000;

/**
 * Pages of logs for their readers. Who comes to a place while another reads there, or holds what it was given there,
 * gets the same object: thousands that stop at one place take the memory of one.
 */
class LogPages {
  private readonly reading = new Map<string, Promise<Page>>();
  private readonly held = new Map<string, WeakRef<Batch>>();
  private readonly tails: TailReader;

  constructor(private readonly log: Log) {
    this.tails = new TailReader(log);
  }

  /** Rejects where the next event is damaged. */
  async read(place: Place): Promise<Page> {
    if (place.toBatch) return this.readPage(place);
    const name = `${place.runId} ${place.seq} ${place.mayMerge}`;
    const held = this.held.get(name)?.deref();
    if (held) return { batch: held, isLast: false, at: 0 };
    const known = this.reading.get(name);
    if (known) return known;
    const reading = this.readPage(place).finally(() => this.reading.delete(name));
    this.reading.set(name, reading);
    const page = await reading;
    if (page.batch) this.hold(name, page.batch);
    return page;
  }

  private async readPage(place: Place): Promise<Page> {
    const { runId, seq, mayMerge, isTail } = place;
    const tail = isTail ? await this.tails.read({ runId, afterSeq: seq }) : undefined;
    if (tail?.isWhole && tail.events.length === 0) return { batch: undefined, isLast: true, at: tail.at };
    const at = tail?.at ?? performance.now();
    const events = tail && tail.events.length > 0 ? tail.events : await readEvents(this.log, runId, seq);
    const frames = events.map((event) => toFrame(event));
    const batch = (place.toBatch ?? toBatch)(frames, mayMerge);
    const newest = events.at(-1);
    const isLast = batch === undefined || (tail?.isWhole === true && newest?.seq === batch.last);
    return { batch: batch && newest?.seq === batch.last ? { ...batch, at: newest.at } : batch, isLast, at };
  }

  private hold(name: string, batch: Batch): void {
    this.held.delete(name);
    if (this.held.size >= maxPlaces) this.held.delete(this.held.keys().next().value ?? "");
    this.held.set(name, new WeakRef(batch));
  }
}

/** Places that one statement is asked for. */
const maxTails = 200;

type Waiting = TailPlace & { resolve(tail: Tail & { at: number }): void; reject(cause: unknown): void };

/** One statement at a time for all who wait at the ends of logs: what comes while it is under way is for the next. */
class TailReader {
  private waiting: Waiting[] = [];
  private isReading = false;

  constructor(private readonly log: Pick<RunLog, "tails">) {}

  read(place: TailPlace): Promise<Tail & { at: number }> {
    const { promise, resolve, reject } = Promise.withResolvers<Tail & { at: number }>();
    this.waiting.push({ ...place, resolve, reject });
    if (!this.isReading) void this.readAll();
    return promise;
  }

  private async readAll(): Promise<void> {
    this.isReading = true;
    // Hints come in packets: those who are woken by one read together.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const asked = this.waiting.splice(0, maxTails);
      const at = performance.now();
      try {
        const tails = await this.log.tails(asked.map(({ runId, afterSeq }) => ({ runId, afterSeq })));
        for (const [index, one] of asked.entries()) {
          const tail = tails[index];
          if (tail) one.resolve({ ...tail, at });
        }
      } catch (cause) {
        for (const one of asked) one.reject(cause);
      }
    }
    this.isReading = false;
  }
}

/** A page of the log up to a damaged event; throws when that is the first one. */
async function readEvents(log: Log, runId: string, seq: number): Promise<LogEvent[]> {
  return log.read(runId, seq, pageSize, maxBatchChars).catch(async () => {
    const [first] = await log.read(runId, seq, 1);
    const events = first ? [first] : [];
    for (let last = first; last && events.length < pageSize; ) {
      [last] = await log.read(runId, last.seq, 1).catch(() => []);
      if (last) events.push(last);
    }
    return events;
  });
}

const byLog = new WeakMap<Log, LogPages>();

/** Those of this log; a route that Next.js bundles apart has some of its own, which does no harm. */
export function logPages(log: Log): LogPages {
  const known = byLog.get(log) ?? new LogPages(log);
  byLog.set(log, known);
  return known;
}
