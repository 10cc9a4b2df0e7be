import { type Batch, maxBatchChars, toBatch, toFrame } from "@/lib/server/loop/frames";
import type { RunLog } from "@/lib/store/ports";
import type { LogEvent } from "@/lib/store/types";

type Log = Pick<RunLog, "read">;

interface Place {
  runId: string;
  /** The last event that was seen. */
  seq: number;
  mayMerge: boolean;
}

const pageSize = 256;
/** Places that are remembered; each is a few hundred bytes. */
const maxPlaces = 1_000;

/**
 * Pages of logs for their readers. Who comes to a place while another reads there, or holds what it was given there,
 * gets the same object: thousands that stop at one place take the memory of one.
 */
class LogPages {
  private readonly reading = new Map<string, Promise<Batch | undefined>>();
  private readonly held = new Map<string, WeakRef<Batch>>();

  constructor(private readonly log: Log) {}

  /** Nothing at the end of the log; rejects where the next event is damaged. */
  async read(place: Place): Promise<Batch | undefined> {
    const name = `${place.runId} ${place.seq} ${place.mayMerge}`;
    const known = this.held.get(name)?.deref() ?? this.reading.get(name);
    if (known) return known;
    const reading = this.readPage(place).finally(() => this.reading.delete(name));
    this.reading.set(name, reading);
    const batch = await reading;
    if (batch) this.hold(name, batch);
    return batch;
  }

  private async readPage({ runId, seq, mayMerge }: Place): Promise<Batch | undefined> {
    const events = await readEvents(this.log, runId, seq);
    const frames = events.map((event) => toFrame(event));
    const batch = toBatch(frames, mayMerge);
    const newest = events.at(-1);
    return batch && newest?.seq === batch.last ? { ...batch, at: newest.at } : batch;
  }

  private hold(name: string, batch: Batch): void {
    this.held.delete(name);
    if (this.held.size >= maxPlaces) this.held.delete(this.held.keys().next().value ?? "");
    this.held.set(name, new WeakRef(batch));
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
