import { Kysely, sql } from "kysely";
import { StoreError } from "@/lib/store/errors";
import { checkVersion, migrate } from "@/lib/store/migrations/migrate";
import type { Area } from "@/lib/store/migrations/migrations";
import { postgresDialect } from "@/lib/store/postgres-dialect";
import { toStoreError } from "@/lib/store/postgres-fault";
import { Membership } from "@/lib/store/postgres-membership";
import { openPool } from "@/lib/store/postgres-pool";
import { openSession } from "@/lib/store/postgres-session";
import type { DB } from "@/lib/store/schema";

const areas: readonly Area[] = ["records", "log"];
const name = "The database to move to";
/** Rows of these say nothing about people: which version it is, and who has it open. */
const own = ["schema_version", "instance"];

/** Throws a StoreError for a database that cannot be moved to: away, too old, of a newer version, or not empty. Changes nothing. */
export async function checkTarget(url: string): Promise<void> {
  const session = await openSession(url, { onGone: () => {} });
  await session.end();
  const db = new Kysely<DB>({ dialect: postgresDialect(openPool(url)) });
  try {
    await checkTables(db);
    await checkEmpty(db, await tablesOf(db));
  } finally {
    await db.destroy();
  }
}

/**
 * Does the work in one transaction on an empty database that has all tables, and that no instance has open. Whatever keeps it
 * from being committed leaves no row behind.
 */
export async function inEmptyDatabase<Result>(
  url: string,
  work: (trx: Kysely<DB>) => Promise<Result>,
): Promise<Result> {
  const members = new Membership(url, true);
  const db = new Kysely<DB>({ dialect: postgresDialect(openPool(url, { owner: members })) });
  try {
    await members.join();
    await migrate(db, areas, name, { dialect: "postgres", isExact: true });
    return await db.transaction().execute(async (trx) => {
      // One statement reads a whole table, and between two of them files are read.
      await sql`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '10min'`.execute(
        trx,
      );
      const tables = await tablesOf(trx);
      // An instance that starts meanwhile cannot write either.
      await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in share row exclusive mode`.execute(
        trx,
      );
      await checkEmpty(trx, tables);
      return await work(trx);
    });
  } catch (cause) {
    throw toStoreError(cause);
  } finally {
    await db.destroy();
    await members.close();
  }
}

async function checkTables(db: Kysely<DB>): Promise<void> {
  const { rows } = await sql<{ table: string | null }>`select to_regclass('schema_version') as table`.execute(
    db,
  );
  if (!rows[0]?.table) return;
  const { version } = await db
    .selectFrom("schema_version")
    .select(({ fn, lit }) => fn.coalesce(fn.max("version"), lit(0)).as("version"))
    .executeTakeFirstOrThrow();
  const found = { version, compatibleFrom: version };
  checkVersion(name, found, { areas, dialect: "postgres", isExact: true });
}

async function checkEmpty(db: Kysely<DB>, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0)
      throw new StoreError(
        "conflict",
        `${name} is not empty: ${table} has rows. Make another one (createdb), or drop this one and make it again. Nothing was changed.`,
      );
  }
}

async function tablesOf(db: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by relname`.execute(
    db,
  );
  return rows.flatMap((row) => (own.includes(row.name) ? [] : row.name));
}
