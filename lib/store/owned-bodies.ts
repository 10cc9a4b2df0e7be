import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import { readCursor, toPage } from "./cursor";
import type { BodyQuota } from "./kept-types";
import type { DB } from "./schema";
import { readJson, writeJson } from "./stored-json";
import type { PageRequest } from "./types";

/** Created, id. */
const Key = z.tuple([z.number(), z.string()]);

type Row<Fields> = Fields & { id: string; userId: string; createdAt: number };

/** Things of a user that are stored as one JSON body each, newest first, with a quota for all of them together. */
export function ownedBodies<Fields extends object>(
  table: "assistant" | "project" | "prompt",
  schema: z.ZodType,
) {
  // Their tables have the same columns.
  const from = table as "assistant";
  const toFields = ({ id, body }: Selectable<DB["assistant"]>): Fields =>
    readJson(`${table} ${id}`, body, schema);
  const toRow = (record: Selectable<DB["assistant"]>): Row<Fields> => ({
    ...toFields(record),
    id: record.id,
    userId: record.user_id,
    createdAt: record.created_at,
  });
  const select = (db: Kysely<DB>, userId: string, id: string) =>
    db.selectFrom(from).selectAll().where("id", "=", id).where("user_id", "=", userId).executeTakeFirst();
  const measure = async (trx: Transaction<DB>, userId: string) => {
    const { count, bytes } = await trx
      .selectFrom(from)
      .select(({ fn, lit }) => [
        fn.countAll<number>().as("count"),
        fn.coalesce(fn.sum<number>("bytes"), lit(0)).as("bytes"),
      ])
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    return { count: Number(count), bytes: Number(bytes) };
  };
  return {
    /** False: the quota is used up. */
    async add(
      trx: Transaction<DB>,
      { id, userId, createdAt, ...fields }: Row<Fields>,
      quota: BodyQuota,
    ): Promise<boolean> {
      const stored = toBody(fields);
      const { count, bytes } = await measure(trx, userId);
      if (count >= quota.count || bytes + stored.bytes > quota.bytes) return false;
      await trx
        .insertInto(from)
        .values({ id, user_id: userId, ...stored, created_at: createdAt })
        .execute();
      return true;
    },
    /** With `fits`, those that it takes; all are read for it, which the quota bounds. */
    async list(
      db: Kysely<DB>,
      userId: string,
      { limit, cursor }: PageRequest,
      fits?: (fields: Fields) => boolean,
    ) {
      let query = db
        .selectFrom(from)
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc");
      if (!fits) query = query.limit(limit + 1);
      if (cursor !== undefined) {
        const key = readCursor(cursor, Key);
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("created_at", "id"), "<", tuple(...key)),
        );
      }
      const found = await query.execute();
      const records = fits ? found.filter((record) => fits(toFields(record))) : found;
      return toPage(records, limit, (row) => [row.created_at, row.id], toRow);
    },
    async get(db: Kysely<DB>, userId: string, id: string): Promise<Row<Fields> | undefined> {
      const record = await select(db, userId, id);
      return record && toRow(record);
    },
    /** What it is now; null beyond the quota, undefined where there is none. */
    async update(
      trx: Transaction<DB>,
      { userId, id }: { userId: string; id: string },
      change: (before: Fields) => Fields,
      quota: BodyQuota,
    ): Promise<Fields | null | undefined> {
      const record = await select(trx, userId, id);
      if (!record) return undefined;
      const fields = change(toFields(record));
      const next = toBody(fields);
      const { bytes } = await measure(trx, userId);
      if (bytes - record.bytes + next.bytes > quota.bytes) return null;
      await trx.updateTable(from).set(next).where("id", "=", id).execute();
      return fields;
    },
    /** Whether there was one. */
    async delete(db: Kysely<DB>, userId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom(from)
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return Number(numDeletedRows) > 0;
    },
  };
}

function toBody(fields: object): { body: string; bytes: number } {
  const body = writeJson(fields);
  return { body, bytes: Buffer.byteLength(body) };
}
