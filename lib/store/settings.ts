import type { Kysely } from "kysely";
import type { Settings } from "./kept-ports";
import type { DB } from "./schema";
import { AnyValue, readJson, writeJson } from "./stored-json";

export function openSettings(db: Kysely<DB>): Settings {
  return {
    get: (userId, key) => read(db, userId, key),
    reread: (userId, key) => read(db, userId, key),
    set: (userId, key, value) => write(db, userId, key, value),
    update: <Value, Next extends Value | undefined>(
      userId: string,
      key: string,
      change: (value: Value | undefined) => Next,
    ) =>
      db.transaction().execute(async (trx) => {
        const next = change(await read<Value>(trx, userId, key));
        if (next !== undefined) await write(trx, userId, key, next);
        return next;
      }),
    async updateAll<Value>(
      userId: string,
      keys: readonly string[],
      change: (values: ReadonlyMap<string, Value>) => ReadonlyMap<string, Value | null>,
    ) {
      await db.transaction().execute(async (trx) => {
        const before = new Map<string, Value>();
        for (const key of keys) {
          const value = await read<Value>(trx, userId, key);
          if (value !== undefined) before.set(key, value);
        }
        for (const [key, value] of change(before))
          if (value === null) await remove(trx, userId, key);
          else await write(trx, userId, key, value);
      });
    },
    delete: (userId, key) => remove(db, userId, key),
    async owners(key) {
      const rows = await db.selectFrom("setting").select("user_id").where("key", "=", key).execute();
      return rows.map((row) => row.user_id);
    },
  };
}

async function read<Value>(db: Kysely<DB>, userId: string, key: string): Promise<Value | undefined> {
  const row = await db
    .selectFrom("setting")
    .select("value")
    .where("user_id", "=", userId)
    .where("key", "=", key)
    .executeTakeFirst();
  return row && readJson<Value>(`setting ${key}`, row.value, AnyValue);
}

async function write(db: Kysely<DB>, userId: string, key: string, value: unknown): Promise<void> {
  const text = writeJson(value);
  await db
    .insertInto("setting")
    .values({ user_id: userId, key, value: text })
    .onConflict((conflict) => conflict.columns(["user_id", "key"]).doUpdateSet({ value: text }))
    .execute();
}

async function remove(db: Kysely<DB>, userId: string, key: string): Promise<void> {
  await db.deleteFrom("setting").where("user_id", "=", userId).where("key", "=", key).execute();
}
