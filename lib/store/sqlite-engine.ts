import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { migrate } from "@/lib/store/migrations/migrate";
import { prepareDataDir } from "./data-dir";
import type { Engine } from "./engine";
import { lockDataDir } from "./lock-data-dir";
import { confirmFile } from "./rebuild/confirm-file";
import { type DatabaseFile, type RebuildOptions, rebuildFiles } from "./rebuild/rebuild-files";
import type { DB } from "./schema";
import { sqliteDialect } from "./sqlite-dialect";
import { toStoreError } from "./sqlite-fault";
import { openLogWriter } from "./sqlite-log-writer";
import { readSizes } from "./sqlite-sizes";

interface EngineOptions extends RebuildOptions {
  /** Told of each statement on the records before it runs, for those who count them. */
  onStatement?: ((sql: string) => void) | undefined;
}

/**
 * The embedded engine: `meguri.db` and `run-log.db` in one folder that this process has for itself. Two files, because
 * a second connection to one file would block the event loop while the first is in a transaction.
 * Files of an older version are rebuilt before. Throws StoreError and DataDirInUseError, and leaves nothing open then.
 */
export async function openSqliteEngine(
  dataDir: string,
  { onStatement, ...options }: EngineOptions = {},
): Promise<Engine> {
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
  const recordsFile: DatabaseFile = { path: join(dataDir, "meguri.db"), area: "records" };
  const logFile: DatabaseFile = { path: join(dataDir, "run-log.db"), area: "log" };
  try {
    await rebuildFiles([recordsFile, logFile], options);
    const [records, recordsDb] = await openFile(recordsFile, { opened, onStatement });
    const [log, logDb] = await openFile(logFile, { opened });
    const writer = openLogWriter(logDb, logFile.path);
    // While it has the connection, no transaction of Kysely is open.
    const write: Engine["write"] = (work, durable) =>
      log.connection().execute(async () => writer.write(work, durable));
    return {
      records,
      log,
      write,
      unsettled: writer.unsettled,
      sizes: () => readSizes([recordsFile.path, logFile.path]),
      giveBack: async (pages) => {
        const left = [
          await giveBack(records, recordsDb, { ...recordsFile, pages }),
          await giveBack(log, logDb, { ...logFile, pages }),
        ];
        return left.includes(true);
      },
      checkpoint: async () => {
        await write((to) => to.settle(), false);
        await checkpoint(opened);
      },
      confirm: async () => {
        await confirmFile(recordsFile.path, records);
        await confirmFile(logFile.path, log);
      },
      close: async () => {
        try {
          // What cannot be settled, on a full disk, stays in the journal.
          await write((to) => to.settle(), false).catch(() => {});
          await checkpoint(opened);
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

/** Whether each commit waits for the disk. */
const safety = { records: "full", log: "normal" } as const;
/** SQLite's own, in pages. */
const usualCheckpoint = 1000;

async function openFile(
  { path, area }: DatabaseFile,
  { opened, onStatement }: EngineOptions & { opened: Kysely<DB>[] },
): Promise<[Kysely<DB>, DatabaseSync]> {
  const file = Promise.withResolvers<DatabaseSync>();
  const dialect = sqliteDialect(path, safety[area], {
    onOpen: file.resolve,
    onStatement,
  });
  const db = new Kysely<DB>({ dialect });
  opened.push(db);
  await migrate(db, [area], path);
  return [db, await file.promise];
}

/** Free pages that a file keeps: the next answers use them. */
const keptPages = 64;
/** Pages of a journal that the step which comes to them writes back, in about 3 ms; otherwise in 14. */
const pagesWrittenBack = 100;

function giveBack(
  db: Kysely<DB>,
  file: DatabaseSync,
  { path, area, pages }: DatabaseFile & { pages: number },
): Promise<boolean> {
  return db.connection().execute(async () => {
    try {
      const free = Number(file.prepare("pragma freelist_count").get()?.freelist_count);
      if (free <= keptPages) return false;
      // That pages were free may be lost in a power cut; what was committed before is not.
      file.exec(`pragma wal_autocheckpoint = ${pagesWrittenBack}; pragma synchronous = normal`);
      try {
        // Not prepared: a step of this pragma is one page.
        file.exec(`pragma incremental_vacuum(${Math.min(pages, free - keptPages)})`);
      } finally {
        file.exec(`pragma wal_autocheckpoint = ${usualCheckpoint}; pragma synchronous = ${safety[area]}`);
      }
      return free - pages > keptPages;
    } catch (cause) {
      throw toStoreError(cause, path);
    }
  });
}

async function checkpoint(opened: readonly Kysely<DB>[]): Promise<void> {
  for (const db of opened) await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
