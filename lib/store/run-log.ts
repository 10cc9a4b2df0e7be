import type { Kysely } from "kysely";
import type { Engine } from "./engine";
import type { DB } from "./schema";
import { ChunkData, readJson, writeJson } from "./stored-json";
import type { LogEvent, RunLog } from "./types";

/** Events of one statement; longer appends take several in one transaction. */
const batchSize = 100;

export function openRunLog({ log, durably }: Pick<Engine, "log" | "durably">): RunLog {
  return {
    async append(runId, events, durable) {
      if (events.length === 0) return;
      const records = events.map((event) => toRecord(runId, event));
      if (durable) await durably((db) => insert(db, records));
      else await insert(log, records);
    },
    async read(runId, afterSeq, limit) {
      const records = await log
        .selectFrom("run_event")
        .select(["seq", "at", "data"])
        .where("run_id", "=", runId)
        .where("seq", ">", afterSeq)
        .orderBy("seq")
        .limit(limit)
        .execute();
      return records.map(({ seq, at, data }) => ({
        seq,
        at,
        data: readJson(`event ${seq} of run ${runId}`, data, ChunkData),
      }));
    },
    async lastSeq(runId) {
      const { last } = await log
        .selectFrom("run_event")
        .select((eb) => eb.fn.coalesce(eb.fn.max("seq"), eb.lit(0)).as("last"))
        .where("run_id", "=", runId)
        .executeTakeFirstOrThrow();
      return last;
    },
    async delete(runIds) {
      for (let at = 0; at < runIds.length; at += batchSize) {
        const ids = runIds.slice(at, at + batchSize);
        await durably((db) => db.deleteFrom("run_event").where("run_id", "in", ids).execute());
      }
    },
  };
}

async function insert(db: Kysely<DB>, records: readonly DB["run_event"][]): Promise<void> {
  if (records.length <= batchSize) {
    await db.insertInto("run_event").values(records).execute();
    return;
  }
  await db.transaction().execute(async (trx) => {
    for (let at = 0; at < records.length; at += batchSize)
      await trx
        .insertInto("run_event")
        .values(records.slice(at, at + batchSize))
        .execute();
  });
}

const toRecord = (runId: string, { seq, at, data }: LogEvent): DB["run_event"] => ({
  run_id: runId,
  seq,
  at,
  data: writeJson(data),
});
