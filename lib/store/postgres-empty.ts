import { type Kysely, sql } from "kysely";
import { emptiedKey, keptPrefix, keptSettings, keptTables } from "./kept-settings";
import type { DB } from "./schema";
import { writeJson } from "./stored-json";

/** Deletes all rows but those that say how Meguri is set up, and who its people are: tables get new files for it. */
export async function emptyTables(db: Kysely<DB>): Promise<void> {
  const kept: readonly string[] = [...keptTables, "schema_version", "instance", "lease"];
  await db.transaction().execute(async (trx) => {
    // It waits for those who read.
    await sql`set local lock_timeout = '10s'; set local statement_timeout = '60s'`.execute(trx);
    const settings = await trx
      .selectFrom("setting")
      .selectAll()
      .where(({ or, eb }) =>
        or([
          eb("user_id", "=", "system").and("key", "!=", emptiedKey),
          eb("key", "in", keptSettings),
          eb(sql<string>`substr(key, 1, ${sql.lit(keptPrefix.length)})`, "=", keptPrefix),
        ]),
      )
      .execute();
    const tables = (await tablesOf(trx)).filter((name) => !kept.includes(name));
    await sql`truncate ${sql.join(tables.map((name) => sql.table(name)))}`.execute(trx);
    for (const setting of settings) await trx.insertInto("setting").values(setting).execute();
    const emptied = { user_id: "system", key: emptiedKey, value: writeJson(new Date().toISOString()) };
    await trx.insertInto("setting").values(emptied).execute();
  });
}

async function tablesOf(db: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
  `.execute(db);
  return rows.map(({ name }) => name);
}
