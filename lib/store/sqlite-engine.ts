import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { migrate } from "@/lib/store/migrations/migrate";
import { LocalBus } from "./bus";
import { prepareDataDir } from "./data-dir";
import type { Engine } from "./engine";
import { loneLeases } from "./leases";
import { lockDataDir } from "./lock-data-dir";
import { loneMember } from "./lone-member";
import { confirmFile } from "./rebuild/confirm-file";
import {
  beginEmptying,
  buildEmpty,
  endEmptying,
  isBeingEmptied,
  placeEmpty,
  settleEmptied,
} from "./rebuild/empty-files";
import { type DatabaseFile, type RebuildOptions, rebuildFiles } from "./rebuild/rebuild-files";
import type { DB } from "./schema";
import { type Reopen, sqliteDialect } from "./sqlite-dialect";
import { openEarlyCommit } from "./sqlite-early-commit";
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
    for (const { path } of [recordsFile, logFile]) settleEmptied(path);
    await rebuildFiles([recordsFile, logFile], options);
    const records = await openFile(recordsFile, { opened, onStatement });
    const log = await openFile(logFile, { opened });
    const early = openEarlyCommit(records);
    const writers = new WeakMap<DatabaseSync, ReturnType<typeof openLogWriter>>();
    const writer = () => {
      const known = writers.get(log.file) ?? openLogWriter(log.file, log.path);
      writers.set(log.file, known);
      return known;
    };
    // While it has the connection, no transaction of Kysely is open.
    const write: Engine["write"] = (work, durable) =>
      log.db.connection().execute(async () => writer().write(work, durable));
    let emptied: Promise<void> = Promise.resolve();
    const empty = () => {
      emptied = emptied
        .catch(() => {})
        .then(() => emptyFiles(records, log, options.onStep))
        .finally(() => early?.close());
      return emptied;
    };
    if (isBeingEmptied(recordsFile)) await empty();
    writer();
    return {
      dialect: "sqlite",
      members: loneMember(),
      bus: new LocalBus(),
      leases: loneLeases,
      records: records.db,
      ...(early && { commitEarly: early.commitEarly }),
      log: log.db,
      write,
      unsettled: (runId) => writer().unsettled(runId),
      sizes: () => readSizes([recordsFile.path, logFile.path]),
      giveBack: async (pages) => {
        const left = [await giveBack(records, pages), await giveBack(log, pages)];
        return left.includes(true);
      },
      checkpoint: async () => {
        await write((to) => to.settle(), false);
        await checkpoint(opened);
      },
      empty,
      confirm: async () => {
        await confirmFile(recordsFile.path, records.db);
        await confirmFile(logFile.path, log.db);
      },
      close: async () => {
        try {
          // What cannot be settled, on a full disk, stays in the journal.
          await write((to) => to.settle(), false).catch(() => {});
          await checkpoint(opened);
        } finally {
          await early?.close();
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
/**
 * What of the records stays in memory: with SQLite's 2 MB one person's list, among those of 500, is read from the system anew for each
 * request. A log is read once and in order.
 */
const recordsCacheKb = 64 * 1024;
/** SQLite's own, in pages. */
const usualCheckpoint = 1000;

interface OpenFile extends DatabaseFile {
  db: Kysely<DB>;
  /** Another one after `reopen`. */
  file: DatabaseSync;
  reopen: Reopen;
}

async function openFile(
  { path, area }: DatabaseFile,
  { opened, onStatement }: EngineOptions & { opened: Kysely<DB>[] },
): Promise<OpenFile> {
  const first = Promise.withResolvers<Pick<OpenFile, "file" | "reopen">>();
  const onOpen = (file: DatabaseSync, reopen: Reopen) => {
    if (area === "records") file.exec(`pragma cache_size = -${recordsCacheKb}`);
    if (open) open.file = file;
    else first.resolve({ file, reopen });
  };
  const dialect = sqliteDialect(path, safety[area], { onOpen, onStatement });
  const db = new Kysely<DB>({ dialect });
  opened.push(db);
  let open: OpenFile | undefined;
  await migrate(db, [area], path);
  open = { path, area, db, ...(await first.promise) };
  return open;
}

/** While it has both connections nobody else reads or writes. */
async function emptyFiles(records: OpenFile, log: OpenFile, onStep: RebuildOptions["onStep"]): Promise<void> {
  beginEmptying(records);
  try {
    onStep?.("marked");
    for (const file of [records, log]) await buildEmpty(file);
    onStep?.("built");
    await records.db.connection().execute(() =>
      log.db.connection().execute(async () => {
        for (const each of [records, log]) {
          each.reopen(() => placeEmpty(each, (step) => onStep?.(`${each.area} ${step}`)));
          onStep?.(`${each.area} emptied`);
        }
      }),
    );
  } finally {
    // Who goes on writing after a failure must not lose that at the next start.
    endEmptying(records);
  }
}

/** Free pages that a file keeps: the next answers use them. */
const keptPages = 64;
/** Pages of a journal that the step which comes to them writes back, in about 3 ms; otherwise in 14. */
const pagesWrittenBack = 100;

function giveBack(opened: OpenFile, pages: number): Promise<boolean> {
  return opened.db.connection().execute(async () => {
    const { file, path, area } = opened;
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
