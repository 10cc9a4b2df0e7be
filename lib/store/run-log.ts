import { openAppendQueue } from "./append-queue";
import type { Engine } from "./engine";
import type { RunLog } from "./ports";
import { prepareInserts } from "./prepare-inserts";
import type { DB } from "./schema";
import { ChunkData, readJson, writeJson } from "./stored-json";
import type { LogEvent } from "./types";

/** Runs deleted by one statement. */
const batchSize = 100;

/** `close` stores what still waits. */
export function openRunLog({ log, durably }: Pick<Engine, "log" | "durably">): RunLog & {
  close(): Promise<void>;
} {
  const insert = prepareInserts(log);
  const queue = openAppendQueue((records) => insert(log, records));
  return {
    async append(runId, events, durable) {
      if (events.length === 0) return;
      const records = events.map((event) => toRecord(runId, event));
      if (durable) await queue.after(() => durably((db) => insert(db, records)));
      else await queue.add(records);
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
        await queue.after(() =>
          durably((db) => db.deleteFrom("run_event").where("run_id", "in", ids).execute()),
        );
      }
    },
    close: () => queue.after(async () => {}),
  };
}

const toRecord = (runId: string, { seq, at, data }: LogEvent): DB["run_event"] => ({
  run_id: runId,
  seq,
  at,
  data: writeJson(data),
});
