import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import type { AssistantFields } from "@/lib/protocol/assistants";
import { readCursor, toPage } from "./cursor";
import { StoreError } from "./errors";
import type { Assistants } from "./ports";
import type { DB } from "./schema";
import { AssistantBody, readJson, writeJson } from "./stored-json";
import type { AssistantRow } from "./types";

/** Created, id. */
const Key = z.tuple([z.number(), z.string()]);

export function openAssistants(db: Kysely<DB>): Assistants {
  return {
    add({ id, userId, createdAt, ...fields }, quota) {
      const stored = toBody(fields);
      return db.transaction().execute(async (trx) => {
        const { count, bytes } = await measure(trx, userId);
        if (count >= quota.count || bytes + stored.bytes > quota.bytes) return false;
        await trx
          .insertInto("assistant")
          .values({ id, user_id: userId, ...stored, created_at: createdAt })
          .execute();
        return true;
      });
    },
    async list(userId, { limit, cursor }) {
      let query = db
        .selectFrom("assistant")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1);
      if (cursor !== undefined) {
        const key = readCursor(cursor, Key);
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("created_at", "id"), "<", tuple(...key)),
        );
      }
      return toPage(await query.execute(), limit, (row) => [row.created_at, row.id], toRow);
    },
    async get(userId, id) {
      const record = await select(db, userId, id);
      return record && toRow(record);
    },
    update: (userId, id, change, quota) =>
      db.transaction().execute(async (trx) => {
        const record = await select(trx, userId, id);
        if (!record) throw new StoreError("not_found", "There is no such assistant.");
        const next = toBody(change(toFields(record)));
        const { bytes } = await measure(trx, userId);
        if (bytes - record.bytes + next.bytes > quota.bytes) return false;
        await trx.updateTable("assistant").set(next).where("id", "=", id).execute();
        return true;
      }),
    async delete(userId, id) {
      const { numDeletedRows } = await db
        .deleteFrom("assistant")
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return Number(numDeletedRows) > 0;
    },
  };
}

const select = (db: Kysely<DB>, userId: string, id: string) =>
  db
    .selectFrom("assistant")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();

/** What a user has by now. */
async function measure(trx: Transaction<DB>, userId: string): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await trx
    .selectFrom("assistant")
    .select(({ fn, lit }) => [
      fn.countAll<number>().as("count"),
      fn.coalesce(fn.sum<number>("bytes"), lit(0)).as("bytes"),
    ])
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return { count: Number(count), bytes: Number(bytes) };
}

function toBody(fields: AssistantFields): { body: string; bytes: number } {
  const body = writeJson(fields);
  return { body, bytes: Buffer.byteLength(body) };
}

const toFields = ({ id, body }: Selectable<DB["assistant"]>): AssistantFields =>
  readJson(`assistant ${id}`, body, AssistantBody);

const toRow = (record: Selectable<DB["assistant"]>): AssistantRow => ({
  ...toFields(record),
  id: record.id,
  userId: record.user_id,
  createdAt: record.created_at,
});
