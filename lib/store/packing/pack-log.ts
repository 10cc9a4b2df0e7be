import type { Kysely } from "kysely";
import type { Engine } from "@/lib/store/engine";
import { StoreError } from "@/lib/store/errors";
import { decodeRange, type EventRange } from "@/lib/store/event-range";
import { prepare, prepareStream } from "@/lib/store/prepare";
import type { DB } from "@/lib/store/schema";
import { isLarge, packRanges } from "./packed-range";

/** What one packed row holds at most: a reader unpacks it whole for a page of it, in about 2 ms. */
const maxEvents = 4_096;
const maxCharacters = 65_536;

/** `unfinished`: its last event is no `result`, so that more may come. */
export type PackOutcome = "packed" | "unfinished";

/**
 * Packs the log of a run that has ended, part by part, each in a commit of its own; `rest` is awaited between two.
 * What cannot be read stays as it is. Whenever it is cut short, what is left is packed the next time.
 */
export async function packLog(
  { log, write }: Pick<Engine, "log" | "write">,
  runId: string,
  rest: () => Promise<void>,
): Promise<PackOutcome> {
  const end = await findEnd(log, runId);
  if (end === undefined) return "unfinished";
  for (let after = 0; after < end; ) {
    const ranges = await nextPart(log, runId, after);
    for (const part of neighbours(ranges)) await packPart(write, runId, part);
    after = ranges.at(-1)?.last ?? end;
    await rest();
  }
  return "packed";
}

async function packPart(write: Engine["write"], runId: string, part: readonly EventRange[]): Promise<void> {
  try {
    const packed = await packRanges(runId, part);
    // Its conversation may be deleted by now.
    await write((writer) => writer.replace(runId, packed, part.length), false);
  } catch (cause) {
    if (!(cause instanceof StoreError) || cause.code !== "broken_row") throw cause;
    if (part.length > 1) for (const range of part) await packPart(write, runId, [range]);
  }
}

/**
 * A result begins a row, and nothing follows it; one with the messages of a long run is not parsed for that, nor asked
 * with a regular expression, which would keep all of its megabytes until another one is asked.
 */
const beginsWithResult = (data: string): boolean =>
  data.startsWith('[{"type":"result"') || data.startsWith('[[{"type":"result"');

/** The number of its last event that is not packed, 0 when all are; undefined while the run goes on. */
async function findEnd(log: Kysely<DB>, runId: string): Promise<number | undefined> {
  const [last] = await selectLast(log, { runId });
  // A packed one was finished then, and nothing follows a result.
  if (!last) return 0;
  if (isLarge(last)) return beginsWithResult(last.data) ? last.last : undefined;
  try {
    return decodeRange(runId, last).at(-1)?.data.type === "result" ? last.last : undefined;
  } catch {
    return undefined;
  }
}

/** Rows that become one, or one that is too large to be joined with others. */
async function nextPart(log: Kysely<DB>, runId: string, after: number): Promise<EventRange[]> {
  const part: EventRange[] = [];
  let [events, characters] = [0, 0];
  for await (const range of streamRows(log, { runId, after })) {
    if (part.length > 0 && isLarge(range)) break;
    part.push(range);
    events += range.last - range.first + 1;
    characters += range.data.length;
    if (events >= maxEvents || characters >= maxCharacters) break;
  }
  return part;
}

const unpacked = (log: Kysely<DB>, runId: string) =>
  log
    .selectFrom("event_range")
    .select(["first", "last", "at", "data"])
    .where("run", "=", log.selectFrom("run_key").select("run").where("run_id", "=", runId))
    .where("packed", "is", null);

const selectLast = prepare(["runId"], (log, { runId }: { runId: string }) =>
  unpacked(log, runId).orderBy("first", "desc").limit(1),
);

const streamRows = prepareStream(
  ["runId", "after"],
  (log, { runId, after }: { runId: string; after: number }) =>
    unpacked(log, runId).where("first", ">", after).orderBy("first"),
);

/** Lists of rows between which no number is missing. */
function neighbours(ranges: readonly EventRange[]): EventRange[][] {
  const lists: EventRange[][] = [];
  for (const range of ranges) {
    const list = lists.at(-1);
    if (list?.at(-1)?.last === range.first - 1) list.push(range);
    else lists.push([range]);
  }
  return lists;
}
