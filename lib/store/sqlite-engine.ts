import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { prepareDataDir, touch } from "./data-dir";
import type { Engine } from "./engine";
import { lockDataDir } from "./lock-data-dir";
import { migrate } from "./migrate";
import type { Area } from "./migrations";
import type { DB } from "./schema";
import { sqliteDialect } from "./sqlite-dialect";

/**
 * The embedded engine: `meguri.db` and `run-log.db` in one folder that this process has for itself. Two files, because
 * a second connection to one file would block the event loop while the first is in a transaction.
 * Throws StoreError and DataDirInUseError, and leaves nothing open then.
 */
export async function openSqliteEngine(dataDir: string): Promise<Engine> {
  prepareDataDir(dataDir);
  const unlock = await lockDataDir(dataDir);
  const opened: Kysely<DB>[] = [];
  const close = async () => {
    try {
      for (const db of opened) await db.destroy();
    } finally {
      unlock();
    }
  };
  try {
    const records = await openFile(join(dataDir, "meguri.db"), "records", opened);
    const log = await openFile(join(dataDir, "run-log.db"), "log", opened);
    return {
      records,
      log,
      durably: (work) => durably(log, work),
      close: async () => {
        try {
          for (const db of opened) await sql`pragma wal_checkpoint(truncate)`.execute(db);
        } finally {
          await close();
        }
      },
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function openFile(path: string, area: Area, opened: Kysely<DB>[]): Promise<Kysely<DB>> {
  touch(path);
  const dialect = sqliteDialect(path, area === "records" ? "full" : "normal");
  const db = new Kysely<DB>({ dialect });
  opened.push(db);
  await migrate(db, [area], path);
  return db;
}

/** The switch works only outside a transaction, and nobody else may write between it and the commit it is for. */
function durably<T>(log: Kysely<DB>, work: (log: Kysely<DB>) => Promise<T>): Promise<T> {
  return log.connection().execute(async (connection) => {
    await sql`pragma synchronous = full`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`pragma synchronous = normal`.execute(connection);
    }
  });
}
