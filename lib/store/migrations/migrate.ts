import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import { StoreError } from "@/lib/store/errors";
import type { DB } from "@/lib/store/schema";
import { type Area, migrations } from "./migrations";

interface MigrateOptions {
  dialect?: Dialect;
  newest?: number;
  /** Is told how far it is, for one that takes long. */
  tell?: (state: () => string) => void;
}

/**
 * Brings a database to the newest version, or to an older one, all or nothing. `name` is how messages call it.
 * A `newer_version` StoreError when a later Meguri has written it.
 */
export async function migrate(
  db: Kysely<DB>,
  areas: readonly Area[],
  name: string,
  { dialect = "sqlite", newest = newestVersion(areas), tell = () => {} }: MigrateOptions = {},
): Promise<void> {
  const mine = migrations.filter(({ area, version }) => areas.includes(area) && version <= newest);
  await db.transaction().execute(async (trx) => {
    if (dialect === "postgres") await lockSchema(trx);
    await trx.schema
      .createTable("schema_version")
      .ifNotExists()
      .addColumn("version", "integer", (col) => col.primaryKey().notNull())
      .execute();
    const { current } = await trx
      .selectFrom("schema_version")
      .select((eb) => eb.fn.coalesce(eb.fn.max("version"), eb.lit(0)).as("current"))
      .executeTakeFirstOrThrow();
    if (current > newest) throw newerVersion(name, current, newest, dialect);
    for (const { version, up } of mine) {
      if (version <= current) continue;
      await up(trx, tell, dialect);
      await trx.insertInto("schema_version").values({ version }).execute();
    }
  });
}

/** Any number; the same in each version of Meguri. */
const schemaLock = 7_236_835;

/** Of two processes that migrate one database the second finds it done. A migration may take its time. */
async function lockSchema(trx: Kysely<DB>): Promise<void> {
  await sql`set local lock_timeout = 0; set local statement_timeout = 0`.execute(trx);
  await sql`select pg_advisory_xact_lock(${sql.lit(schemaLock)})`.execute(trx);
}

export const newestVersion = (areas: readonly Area[]): number =>
  Math.max(...migrations.filter(({ area }) => areas.includes(area)).map(({ version }) => version));

export const newerVersion = (name: string, found: number, known: number, dialect: Dialect = "sqlite") =>
  new StoreError(
    "newer_version",
    `${name} was written by a newer Meguri (schema ${found}, this one knows ${known}); start that version again, or set ${elsewhere[dialect]}.`,
  );

const elsewhere: Record<Dialect, string> = {
  sqlite: "DATA_DIR to another folder",
  postgres: "DATABASE_URL to another database",
};
