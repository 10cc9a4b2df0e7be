import type { Kysely } from "kysely";
import { StoreError } from "@/lib/store/errors";
import type { DB } from "@/lib/store/schema";
import { type Area, migrations } from "./migrations";

interface MigrateOptions {
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
  { newest = newestVersion(areas), tell = () => {} }: MigrateOptions = {},
): Promise<void> {
  const mine = migrations.filter(({ area, version }) => areas.includes(area) && version <= newest);
  await db.transaction().execute(async (trx) => {
    await trx.schema
      .createTable("schema_version")
      .ifNotExists()
      .addColumn("version", "integer", (col) => col.primaryKey().notNull())
      .execute();
    const { current } = await trx
      .selectFrom("schema_version")
      .select((eb) => eb.fn.coalesce(eb.fn.max("version"), eb.lit(0)).as("current"))
      .executeTakeFirstOrThrow();
    if (current > newest) throw newerVersion(name, current, newest);
    for (const { version, up } of mine) {
      if (version <= current) continue;
      await up(trx, tell);
      await trx.insertInto("schema_version").values({ version }).execute();
    }
  });
}

export const newestVersion = (areas: readonly Area[]): number =>
  Math.max(...migrations.filter(({ area }) => areas.includes(area)).map(({ version }) => version));

export const newerVersion = (name: string, found: number, known: number) =>
  new StoreError(
    "newer_version",
    `${name} was written by a newer Meguri (schema ${found}, this one knows ${known}); start that version again, or set DATA_DIR to another folder.`,
  );
