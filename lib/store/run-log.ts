import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { type OnCommit, openAppendQueue } from "./append-queue";
import type { Engine } from "./engine";
import type { EventRange } from "./event-range";
import { unpackedSize } from "./packing/packed-bytes";
import { readRange, type StoredRange } from "./packing/packed-range";
import { packWire, unpackWire } from "./packing/packed-wire";
import type { RunLog } from "./ports";
import type { DB } from "./schema";
import type { LogEvent } from "./types";

/** Runs, and rows of their logs, that are deleted by one commit; it takes about 7 ms for a megabyte of large rows. */
const batchSize = 100;
/** Events of one log that are read at once where each is read by itself. */
const tailSize = 256;
const part = { rows: 16, bytes: 524_288 };

/** `close` stores what still waits. */
export function openRunLog(
  { log, write, unsettled, tails }: Pick<Engine, "log" | "write" | "unsettled" | "tails">,
  onCommit?: OnCommit,
): RunLog & { close(): Promise<void> } {
  const queue = openAppendQueue(write, onCommit);
  const open = openRangeReader();
  const store: RunLog & { close(): Promise<void> } = {
    async append(runId, events, durable) {
      if (events.length > 0) await queue.append(runId, events, durable);
    },
    request: queue.request,
    async read(runId, afterSeq, limit, maxCharacters = Number.POSITIVE_INFINITY) {
      // Before the rows are read, which may be settled meanwhile.
      const newest = unsettled(runId);
      const events: LogEvent[] = [];
      for (const range of await findRanges(log, newest, { runId, afterSeq, limit, maxCharacters }))
        for (const event of await open(runId, range))
          if (event.seq > afterSeq && events.length < limit) events.push(event);
      return events;
    },
    tails:
      tails ??
      ((places) =>
        Promise.all(
          places.map(async ({ runId, afterSeq }) => ({
            events: await store.read(runId, afterSeq, tailSize),
            isWhole: false,
          })),
        )),
    async lastSeq(runId) {
      const newest = unsettled(runId).at(-1);
      if (newest) return newest.last;
      const found = await log
        .selectFrom("event_range")
        .select("last")
        .where("run", "=", keyOf(log, runId))
        .orderBy("first", "desc")
        .limit(1)
        .executeTakeFirst();
      return found?.last ?? 0;
    },
    async lastSeqs(runIds) {
      const found = new Map<string, number>();
      for (let at = 0; at < runIds.length; at += batchSize)
        for (const { run_id, last } of await lastOf(log, runIds.slice(at, at + batchSize)))
          if (last !== null) found.set(run_id, last);
      for (const runId of runIds) {
        const newest = unsettled(runId).at(-1);
        if (newest) found.set(runId, newest.last);
      }
      return found;
    },
    async contents(runId, hashes) {
      if (hashes.length === 0) return new Map();
      const rows = await log
        .selectFrom("run_content")
        .innerJoin("request_content", "request_content.hash", "run_content.hash")
        .select(["request_content.hash", "body"])
        .where("run", "=", keyOf(log, runId))
        .where("run_content.hash", "in", hashes)
        .execute();
      return new Map(rows.map(({ hash, body }) => [hash, body]));
    },
    async addWire(runId, name, pieces) {
      await queue.addWire(runId, { name, body: await packWire(pieces) });
    },
    async wire(runId, name) {
      const found = await log
        .selectFrom("wire_record")
        .select("body")
        .where("run", "=", keyOf(log, runId))
        .where("name", "=", name)
        .executeTakeFirst();
      return found && unpackWire(found.body);
    },
    async delete(runIds) {
      for (let at = 0; at < runIds.length; at += batchSize) {
        const ids = runIds.slice(at, at + batchSize);
        for (let isLong = true; isLong; await nextTurn())
          await queue.after(() =>
            write((writer) => {
              isLong = writer.trim(ids, part);
            }, false),
          );
        await queue.after(() => write((writer) => writer.delete(ids), true));
      }
    },
    async bytes(runIds) {
      let bytes = 0;
      for (let at = 0; at < runIds.length; at += batchSize) {
        const ids = runIds.slice(at, at + batchSize);
        const { sum } = await log
          .selectFrom("run_key")
          .innerJoin("event_range", "event_range.run", "run_key.run")
          .select(({ fn, lit }) =>
            fn
              .coalesce(
                fn.sum<number>(sql`coalesce(octet_length(data), 0) + coalesce(octet_length(packed), 0)`),
                lit(0),
              )
              .as("sum"),
          )
          .where("run_id", "in", ids)
          .executeTakeFirstOrThrow();
        bytes += Number(sum) + (await wireBytes(log, ids));
        for (const { data } of ids.flatMap(unsettled)) bytes += data.length;
      }
      return bytes;
    },
    close: () => queue.after(async () => {}),
  };
  return store;
}

const keyOf = (log: Kysely<DB>, runId: string) =>
  log.selectFrom("run_key").select("run").where("run_id", "=", runId);

const lastOf = (log: Kysely<DB>, runIds: readonly string[]) =>
  log
    .selectFrom("run_key")
    .select(["run_id", lastRow(log).as("last")])
    .where("run_id", "in", runIds)
    .execute();

const lastRow = (log: Kysely<DB>) =>
  log
    .selectFrom("event_range")
    .select("last")
    .whereRef("event_range.run", "=", "run_key.run" as never)
    .orderBy("first", "desc")
    .limit(1);

async function wireBytes(log: Kysely<DB>, runIds: readonly string[]): Promise<number> {
  const { sum } = await log
    .selectFrom("run_key")
    .innerJoin("wire_record", "wire_record.run", "run_key.run")
    .select(({ fn, lit }) => fn.coalesce(fn.sum<number>(sql`octet_length(body)`), lit(0)).as("sum"))
    .where("run_id", "in", runIds)
    .executeTakeFirstOrThrow();
  return Number(sum);
}

interface Page {
  runId: string;
  afterSeq: number;
  limit: number;
  maxCharacters: number;
}

/** As many rows as hold the events that are asked for; packed ones are read when the next append can go on. */
async function findRanges(
  log: Kysely<DB>,
  newest: readonly EventRange[],
  { runId, afterSeq, limit, maxCharacters }: Page,
): Promise<StoredRange[]> {
  const before = log
    .selectFrom("event_range")
    .select("first")
    .where("run", "=", keyOf(log, runId))
    .where("first", "<=", afterSeq + 1)
    .orderBy("first", "desc")
    .limit(1);
  const rows = log
    .selectFrom("event_range")
    .select(["first", "last", "at", "data", "packed"])
    .where("run", "=", keyOf(log, runId))
    .where((eb) => eb("first", ">=", eb.fn.coalesce(before, eb.lit(0))))
    .orderBy("first")
    .limit(limit)
    .stream();
  const ranges: StoredRange[] = [];
  let [found, characters] = [0, 0];
  const add = (range: StoredRange): void => {
    ranges.push(range);
    found += Math.max(0, range.last - Math.max(range.first - 1, afterSeq));
    // About as many as bytes where it is packed.
    characters += range.packed ? unpackedSize(range.packed) : range.data.length;
  };
  const isEnough = () => found >= limit || (found > 0 && characters >= maxCharacters);
  for await (const range of rows) {
    add(range);
    if (isEnough()) return ranges;
  }
  const last = ranges.at(-1)?.last ?? 0;
  for (const range of newest) {
    if (range.first <= last || range.last <= afterSeq) continue;
    add({ ...range, packed: null });
    if (isEnough()) break;
  }
  return ranges;
}

type RangeReader = (runId: string, range: StoredRange) => Promise<readonly LogEvent[]>;

/** Bytes, unpacked, of a packed row whose events are kept for the next page. */
const maxKept = 524_288;

/** Keeps the events of the packed row that was read last: a page is a small part of it. */
function openRangeReader(): RangeReader {
  let kept: { runId: string; first: number; last: number; events: readonly LogEvent[] } | undefined;
  return async (runId, range) => {
    const { first, last, packed } = range;
    if (!packed) return readRange(runId, range);
    if (kept?.runId === runId && kept.first === first && kept.last === last) return kept.events;
    const events = await readRange(runId, range);
    if (unpackedSize(packed) <= maxKept) kept = { runId, first, last, events };
    return events;
  };
}
