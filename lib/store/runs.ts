import type { Kysely, Transaction } from "kysely";
import { beginRun } from "./begin-run";
import { isOnBranch } from "./branch";
import { StoreError } from "./errors";
import { insertMessages } from "./message-rows";
import { toRow } from "./run-rows";
import type { DB } from "./schema";
import { writeJson } from "./stored-json";
import type { RunRow, Runs } from "./types";

/** Runs looked up by one query. */
const batchSize = 500;

/** In lists, a row that cannot be read is left out and handed to `onBrokenRow`. */
export function openRuns(db: Kysely<DB>, onBrokenRow: (error: StoreError) => void): Runs {
  const readable = (records: readonly DB["run"][]): RunRow[] =>
    records.flatMap((record) => {
      try {
        return toRow(record);
      } catch (cause) {
        if (!(cause instanceof StoreError)) throw cause;
        onBrokenRow(cause);
        return [];
      }
    });
  const byTime = () => db.selectFrom("run").selectAll().orderBy("started_at").orderBy("id");
  return {
    create: (row) => beginRun(db, row, {}),
    begin: (row, start) => beginRun(db, row, start),
    async get(userId, id) {
      const record = await db
        .selectFrom("run")
        .selectAll()
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return record && toRow(record);
    },
    async many(ids) {
      const found: RunRow[] = [];
      for (let at = 0; at < ids.length; at += batchSize)
        found.push(
          ...readable(
            await byTime()
              .where("id", "in", ids.slice(at, at + batchSize))
              .execute(),
          ),
        );
      return found;
    },
    ofMessage: async (conversationId, messageId) =>
      readable(
        await byTime()
          .where("conversation_id", "=", conversationId)
          .where("message_id", "=", messageId)
          .execute(),
      ),
    withStatus: async (status) => readable(await byTime().where("status", "=", status).execute()),
    finish: (id, end, messages) =>
      db.transaction().execute(async (trx) => {
        const run = await storeEnd(trx, id, end);
        await insertMessages(trx, run.conversation_id, run.user_id, messages);
        const follows = await isLeafOfRun(trx, run);
        const last = messages.at(-1);
        await trx
          .updateTable("conversation")
          .set({ updated_at: end.endedAt ?? run.started_at, ...(follows && last && { leaf_id: last.id }) })
          .where("id", "=", run.conversation_id)
          .execute();
      }),
    async setStatus(id, status) {
      await db.updateTable("run").set({ status }).where("id", "=", id).execute();
    },
  };
}

async function storeEnd(trx: Transaction<DB>, id: string, end: Parameters<Runs["finish"]>[1]) {
  const run = await trx.selectFrom("run").selectAll().where("id", "=", id).executeTakeFirst();
  if (!run) throw new StoreError("not_found", `There is no run ${id}.`);
  if (run.ended_at !== null) throw new StoreError("conflict", `Run ${id} has ended already.`);
  await trx
    .updateTable("run")
    .set({
      status: end.status,
      ended_at: end.endedAt,
      result: writeJson(end.result),
      iterations: writeJson(end.iterations),
    })
    .where("id", "=", id)
    .execute();
  return run;
}

/** False when the person has gone to another branch meanwhile: the end of a run must not take them back. */
async function isLeafOfRun(trx: Transaction<DB>, run: DB["run"]): Promise<boolean> {
  const { leaf_id: leaf } = await trx
    .selectFrom("conversation")
    .select("leaf_id")
    .where("id", "=", run.conversation_id)
    .executeTakeFirstOrThrow();
  if (leaf === null || leaf === run.parent_id) return true;
  const message = await trx
    .selectFrom("message")
    .select("run_id")
    .where("conversation_id", "=", run.conversation_id)
    .where("id", "=", leaf)
    .executeTakeFirst();
  return message?.run_id === run.id || isOnBranch(trx, run.conversation_id, run.parent_id, leaf);
}
