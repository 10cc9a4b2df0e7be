import { Kysely, sql } from "kysely";
import { migrate } from "@/lib/store/migrations/migrate";
import { prepareDataDir } from "./data-dir";
import type { Engine, TableSizes } from "./engine";
import { lockDataDir } from "./lock-data-dir";
import { postgresDialect } from "./postgres-dialect";
import { emptyTables } from "./postgres-empty";
import { toStoreError } from "./postgres-fault";
import { LockSession } from "./postgres-lock";
import { PostgresLogWriter } from "./postgres-log-writer";
import { openPool } from "./postgres-pool";
import { newSessionName } from "./postgres-session";
import type { DB } from "./schema";

export interface PostgresOptions {
  /** For what is beside the database: attachments and secrets. */
  dataDir: string;
  url: string;
  /** Told of each statement on the records before it runs, for those who count them. */
  onStatement?: ((sql: string) => void) | undefined;
}

/**
 * Records and logs in one database of a PostgreSQL server, 15 or newer, that this process has for itself: a session of
 * its own holds it and writes the log, so that nothing is added to a log by a process that has lost the database.
 * Throws StoreError, DatabaseInUseError and DataDirInUseError, and leaves nothing open then.
 */
export async function openPostgresEngine({ dataDir, url, onStatement }: PostgresOptions): Promise<Engine> {
  prepareDataDir(dataDir);
  const unlock = await lockDataDir(dataDir);
  const name = newSessionName();
  const lock = new LockSession(url, name);
  const db = new Kysely<DB>({
    dialect: postgresDialect(openPool(url, { name, onStatement, hold: () => lock.hold() })),
  });
  const close = async () => {
    try {
      await db.destroy();
      await lock.close();
    } finally {
      unlock();
    }
  };
  try {
    await lock.take();
    await migrate(db, ["records", "log"], "The database of DATABASE_URL", { dialect: "postgres" });
  } catch (cause) {
    await close();
    throw toStoreError(cause);
  }
  const writer = new PostgresLogWriter(() => lock.hold());
  return {
    dialect: "postgres",
    records: db,
    log: db,
    write: (work) => writer.write(work),
    unsettled: () => [],
    sizes: () => readSizes(db),
    // The server does it by itself.
    giveBack: async () => false,
    checkpoint: async () => {},
    empty: () => writer.replaceAll(() => emptyTables(db)),
    confirm: async () => {},
    close,
  };
}

/** Room inside of tables that is free is not told apart from the rest. */
async function readSizes(db: Kysely<DB>): Promise<TableSizes> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select c.relname as name, pg_total_relation_size(c.oid) as bytes from pg_class c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`.execute(db);
  return { tables: Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes])), unused: 0 };
}
