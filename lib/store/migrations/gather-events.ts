import { type Kysely, sql } from "kysely";
import type { Chunk } from "@/lib/protocol/chunk";
import type { Dialect } from "@/lib/store/engine";
import { encodeRanges, joinRanges, type WrittenRange } from "@/lib/store/event-range";
import type { DB } from "@/lib/store/schema";
import type { LogEvent } from "@/lib/store/types";
import { createEventRange } from "./create-tables";

/** The log up to version 8: a row for each event. */
export interface OldLog {
  run_event: { run_id: string; seq: number; at: number; data: string };
}

/** What is read at once: numbers, and then as many of their events as have so many bytes together, or one. */
const maxNumbers = 1_000;
const maxBytes = 1_000_000;

/** Makes rows of many events from rows of one. */
export async function gatherEvents(db: Kysely<DB>, _tell: unknown, dialect: Dialect): Promise<void> {
  await createEventRange(db, dialect);
  let key: { run: number; runId: string } | undefined;
  for await (const { runId, ranges } of readOldLog(db as unknown as Kysely<OldLog>)) {
    if (key?.runId !== runId) {
      const { run } = await db
        .insertInto("run_key")
        .values({ run_id: runId })
        .returning("run")
        .executeTakeFirstOrThrow();
      key = { run, runId };
    }
    for (const range of joinRanges(ranges))
      await db
        .insertInto("event_range")
        .values({ run: key.run, ...range })
        .execute();
  }
  await db.schema.dropTable("run_event").execute();
}

/** The rows of all logs of an old file, run by run and in order, as much at once as fits into little memory. */
export async function* readOldLog(
  db: Kysely<OldLog>,
): AsyncGenerator<{ runId: string; ranges: WrittenRange[] }, void> {
  let after = { runId: "", seq: 0 };
  for (;;) {
    const numbers = await db
      .selectFrom("run_event")
      .select(["run_id", "seq", sql<number>`octet_length(data)`.as("bytes")])
      .where(sql<boolean>`(run_id, seq) > (${after.runId}, ${after.seq})`)
      .orderBy("run_id")
      .orderBy("seq")
      .limit(maxNumbers)
      .execute();
    if (numbers.length === 0) return;
    for (const part of parts(numbers)) {
      after = part;
      const rows = await db
        .selectFrom("run_event")
        .select(["seq", "at", "data"])
        .where("run_id", "=", part.runId)
        .where("seq", ">=", part.from)
        .where("seq", "<=", part.seq)
        .orderBy("seq")
        .execute();
      yield { runId: part.runId, ranges: toRanges(rows) };
    }
  }
}

function* parts(numbers: readonly { run_id: string; seq: number; bytes: number }[]) {
  let part: { runId: string; from: number; seq: number } | undefined;
  let sum = 0;
  for (const { run_id: runId, seq, bytes } of numbers) {
    sum += bytes;
    if (part && (part.runId !== runId || sum > maxBytes)) {
      yield part;
      part = undefined;
      sum = bytes;
    }
    part = { runId, from: part?.from ?? seq, seq };
  }
  if (part) yield part;
}

/** A damaged line stays as it is, a row of its own that cannot be read. */
function toRanges(rows: readonly Omit<OldLog["run_event"], "run_id">[]): WrittenRange[] {
  const ranges: WrittenRange[] = [];
  let events: LogEvent[] = [];
  for (const { seq, at, data } of rows) {
    const chunk = parse(data);
    if (chunk) events.push({ seq, at, data: chunk });
    else {
      ranges.push(...encodeRanges(events), { first: seq, last: seq, at, data });
      events = [];
    }
  }
  return [...ranges, ...encodeRanges(events)];
}

/** Nothing for what is no chunk. */
function parse(text: string): Chunk | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isChunk = typeof value === "object" && value !== null && "type" in value;
    return isChunk && typeof value.type === "string" ? (value as Chunk) : undefined;
  } catch {
    return undefined;
  }
}
