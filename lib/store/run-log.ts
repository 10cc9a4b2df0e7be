import { type Kysely, sql } from "kysely";
import { openAppendQueue } from "./append-queue";
import type { Engine } from "./engine";
import { decodeRange } from "./event-range";
import type { RunLog } from "./ports";
import type { DB } from "./schema";
import type { LogEvent } from "./types";

/** Runs deleted by one commit. */
const batchSize = 100;

/** `close` stores what still waits. */
export function openRunLog({ log, write }: Pick<Engine, "log" | "write">): RunLog & {
  close(): Promise<void>;
} {
  const queue = openAppendQueue(write);
  return {
    async append(runId, events, durable) {
      if (events.length > 0) await queue.append(runId, events, durable);
    },
    request: queue.request,
    read: (runId, afterSeq, limit) => read(log, runId, afterSeq, limit),
    async lastSeq(runId) {
      const found = await log
        .selectFrom("event_range")
        .select("last")
        .where("run", "=", keyOf(log, runId))
        .orderBy("first", "desc")
        .limit(1)
        .executeTakeFirst();
      return found?.last ?? 0;
    },
    async delete(runIds) {
      for (let at = 0; at < runIds.length; at += batchSize) {
        const ids = runIds.slice(at, at + batchSize);
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
          .select(({ fn, lit }) => fn.coalesce(fn.sum<number>(sql`octet_length(data)`), lit(0)).as("sum"))
          .where("run_id", "in", ids)
          .executeTakeFirstOrThrow();
        bytes += Number(sum);
      }
      return bytes;
    },
    close: () => queue.after(async () => {}),
  };
}

const keyOf = (log: Kysely<DB>, runId: string) =>
  log.selectFrom("run_key").select("run").where("run_id", "=", runId);

/** Row by row, as nobody knows how many events the next one holds. */
async function read(log: Kysely<DB>, runId: string, afterSeq: number, limit: number): Promise<LogEvent[]> {
  const before = log
    .selectFrom("event_range")
    .select("first")
    .where("run", "=", keyOf(log, runId))
    .where("first", "<=", afterSeq + 1)
    .orderBy("first", "desc")
    .limit(1);
  const ranges = log
    .selectFrom("event_range")
    .select(["first", "last", "at", "data"])
    .where("run", "=", keyOf(log, runId))
    .where((eb) => eb("first", ">=", eb.fn.coalesce(before, eb.lit(0))))
    .orderBy("first")
    .limit(limit)
    .stream();
  const events: LogEvent[] = [];
  for await (const range of ranges) {
    for (const event of decodeRange(runId, range))
      if (event.seq > afterSeq && events.length < limit) events.push(event);
    if (events.length >= limit) break;
  }
  return events;
}
