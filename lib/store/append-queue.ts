import type { Append, Engine, WireBody } from "./engine";
import { StoreError } from "./errors";
import { encodeRanges } from "./event-range";
import type { LogSource, Urgency } from "./ports";
import type { LogEvent } from "./types";

/** Events that may wait in appends; many times what all live runs together have under way. */
export const maxWaiting = 5000;
/** Commits that nobody waits for come no more often than this, once `burst` have come at once … */
const paceMs = 4;
const burst = 8;
/** … and no later than this. Mostly an event that comes in between brings them: a timer wakes the process once more. */
const longestMs = 5;

/** Puts the events of many runs into few commits, in the order in which they came. */
export interface AppendQueue {
  /** Resolves when the events are committed, together with all others of this turn of the event loop. */
  append(runId: string, events: readonly LogEvent[], durable: boolean): Promise<void>;
  /** Resolves when it is committed, with what has come before and meanwhile. */
  addWire(runId: string, wire: WireBody): Promise<void>;
  request(source: LogSource, urgency: Urgency): void;
  /** Does `work` when all that was added before is committed, and before anything that is added later. */
  after(work: () => Promise<unknown>): Promise<void>;
}

/** Told of each commit: how many events it held, and how long it took, in seconds. */
export type OnCommit = (events: number, seconds: number) => void;

/** When a commit fails, each run's events are committed separately, so that one cannot spoil the others. */
export function openAppendQueue(write: Engine["write"], onCommit?: OnCommit): AppendQueue {
  const pace = new Pace();
  let gathering: Batch = { sources: new Set(), isDurable: false };
  /** Batches whose events are not taken yet, as a commit or work before them is going on. */
  const due: Batch[] = [];
  /** The last of them, unless work comes after it: whatever comes meanwhile is committed together. */
  let open: Batch | undefined;
  let waiting = 0;
  let immediate: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = (work: () => Promise<unknown>): Promise<unknown> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  const flush = (): void => {
    clearTimeout(timer);
    clearImmediate(immediate);
    timer = immediate = undefined;
    if (gathering.sources.size === 0) return;
    const batch = gathering;
    gathering = { sources: new Set(), isDurable: false };
    due.push(batch);
    open = batch;
    void inTurn(async () => {
      due.shift();
      if (open === batch) open = undefined;
      const taken = [...batch.sources].flatMap(take);
      const begun = onCommit && performance.now();
      if (taken.length > 0) await commit(write, taken, batch.isDurable);
      if (begun !== undefined) onCommit?.(countEvents(taken), (performance.now() - begun) / 1_000);
      pace.note();
    });
  };
  const request = (source: Source, urgency: Urgency): void => {
    const before = due.find(({ sources }) => sources.has(source)) ?? open;
    const batch = before ?? gathering;
    batch.sources.add(source);
    batch.isDurable ||= urgency === "durable";
    if (before) return;
    if (urgency === "late" || (urgency === "soon" && !pace.isDue())) timer ??= setTimeout(flush, longestMs);
    else immediate ??= setImmediate(flush);
  };
  return {
    request,
    async append(runId, events, durable) {
      if (waiting >= maxWaiting)
        throw new StoreError("busy", `The run log has ${waiting} events waiting to be stored; try again.`);
      waiting += events.length;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      request({ runId, take: () => events, stored: resolve, failed: reject }, durable ? "durable" : "now");
      await promise.finally(() => {
        waiting -= events.length;
      });
    },
    async addWire(runId, wire) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      request({ runId, wire, take: () => [], stored: resolve, failed: reject }, "now");
      await promise;
    },
    async after(work) {
      flush();
      open = undefined;
      await inTurn(work);
    },
  };
}

/** One that has no events but what was recorded of the wire. */
interface Source extends LogSource {
  wire?: WireBody;
}

interface Batch {
  sources: Set<Source>;
  isDurable: boolean;
}

interface Taken extends Append {
  source: Source;
}

/** One whose events have no stored form fails alone. */
function take(source: Source): Taken[] {
  try {
    const events = source.take();
    const ranges = encodeRanges(events);
    const isOver = events.at(-1)?.data.type === "result";
    const contents = contentsOf(events);
    const { runId, wire } = source;
    if (ranges.length > 0 || wire)
      return [{ source, runId, ranges, isOver, ...(contents && { contents }), ...(wire && { wire }) }];
    source.stored();
    return [];
  } catch (cause) {
    source.failed(cause);
    return [];
  }
}

function contentsOf(events: readonly LogEvent[]): Map<string, string> | undefined {
  let contents: Map<string, string> | undefined;
  for (const { data } of events) {
    if (data.type !== "request" || !data.contents) continue;
    contents ??= new Map();
    for (const [hash, body] of Object.entries(data.contents)) contents.set(hash, body);
  }
  return contents;
}

const countEvents = (taken: readonly Taken[]): number =>
  taken.reduce((sum, { ranges }) => ranges.reduce((all, { first, last }) => all + last - first + 1, sum), 0);

/** Tells every source how it went; never rejects itself. */
async function commit(write: Engine["write"], taken: readonly Taken[], durable: boolean): Promise<void> {
  const fault = await write((writer) => writer.insert(taken), durable).then(
    () => undefined,
    (cause: unknown) => ({ cause }),
  );
  const [only] = taken;
  if (!fault) for (const { source } of taken) source.stored();
  else if (taken.length === 1) only?.source.failed(fault.cause);
  else for (const each of taken) await commit(write, [each], durable);
}

/** Lets a few commits through at once, then one in a while: a lone token is not held up, and many share a commit. */
class Pace {
  private paidUntil = 0;

  note(): void {
    this.paidUntil = Math.max(this.paidUntil, performance.now()) + paceMs;
  }

  isDue(): boolean {
    return this.paidUntil - performance.now() <= burst * paceMs;
  }
}
