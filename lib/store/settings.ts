import type { Kysely } from "kysely";
import type { DB } from "./schema";
import { AnyValue, readJson, writeJson } from "./stored-json";
import type { Settings } from "./types";

export function openSettings(db: Kysely<DB>): Settings {
  return {
    async get<Value>(userId: string, key: string) {
      const row = await db
        .selectFrom("setting")
        .select("value")
        .where("user_id", "=", userId)
        .where("key", "=", key)
        .executeTakeFirst();
      return row && readJson<Value>(`setting ${key}`, row.value, AnyValue);
    },
    async set(userId, key, value) {
      const text = writeJson(value);
      await db
        .insertInto("setting")
        .values({ user_id: userId, key, value: text })
        .onConflict((conflict) => conflict.columns(["user_id", "key"]).doUpdateSet({ value: text }))
        .execute();
    },
    async delete(userId, key) {
      await db.deleteFrom("setting").where("user_id", "=", userId).where("key", "=", key).execute();
    },
  };
}
