import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { lockDataDir } from "@/lib/store/lock-data-dir";
import { checkVersion, newestVersion } from "@/lib/store/migrations/migrate";
import type { Area } from "@/lib/store/migrations/migrations";
import { readSchema } from "@/lib/store/migrations/schema-version";
import { toStoreError } from "@/lib/store/sqlite-fault";
import { isKnownTable, movedTables } from "./moved-tables";

interface SourceFile {
  area: Area;
  path: string;
  db: DatabaseSync;
}

/** The embedded database of a folder, to be read while nobody else has the folder. */
export class SourceFolder {
  private constructor(
    private readonly files: readonly SourceFile[],
    private readonly unlock: () => void,
  ) {}

  /** Throws DataDirInUseError, and a StoreError for what cannot be read or was written by a newer version. */
  static async open(dataDir: string): Promise<SourceFolder> {
    const unlock = await lockDataDir(dataDir);
    const files: SourceFile[] = [];
    const folder = new SourceFolder(files, unlock);
    try {
      for (const [name, area] of [
        ["meguri.db", "records"],
        ["run-log.db", "log"],
      ] as const) {
        const path = join(dataDir, name);
        files.push({ area, path, db: openFile(path) });
      }
      for (const file of files) checkFile(file);
      return folder;
    } catch (cause) {
      folder.close();
      throw cause;
    }
  }

  /** Whether it is of this version. */
  get isNewest(): boolean {
    return this.files.every(({ area, db }) => readSchema(db)?.version === newestVersion([area]));
  }

  /** Whether the log is as a folder that was closed in order has it. */
  get isSettled(): boolean {
    return this.fileOf("event_journal")?.prepare("select 1 from event_journal limit 1").get() === undefined;
  }

  /** Of the tables that are moved, those that are there: how many rows each has. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const table of movedTables) {
      const db = this.fileOf(table);
      const row = db?.prepare(`select count(*) as rows from "${table}"`).get();
      if (row) counts.set(table, Number(row.rows));
    }
    return counts;
  }

  columnsOf(table: string): string[] {
    const info = this.fileOf(table)?.prepare(`select name from pragma_table_info('${table}')`).all() ?? [];
    return info.map(({ name }) => String(name));
  }

  /** One at a time, numbers as bigint where the table holds whole ones. */
  *rows(table: string, columns: readonly string[]): Generator<SQLOutputValue[], void> {
    const read = this.prepare(
      table,
      `select ${columns.map((name) => `"${name}"`).join(", ")} from "${table}"`,
    );
    read.setReadBigInts(true);
    for (const row of read.iterate()) yield Object.values(row);
  }

  /** What the query gives of the records, with numbers as they are. */
  *records<Row>(query: string): Generator<Row, void> {
    for (const row of this.prepare("message", query).iterate()) yield row as Row;
  }

  close(): void {
    try {
      for (const { db } of this.files) db.close();
    } finally {
      this.unlock();
    }
  }

  private prepare(table: string, query: string) {
    const db = this.fileOf(table);
    if (!db) throw new Error(`There is no table ${table} in the folder.`);
    return db.prepare(query);
  }

  private fileOf(table: string): DatabaseSync | undefined {
    return this.files.find(({ db }) => tablesOf(db).includes(table))?.db;
  }
}

function openFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true });
  } catch (cause) {
    throw toStoreError(cause, path);
  }
}

function checkFile({ area, path, db }: SourceFile): void {
  try {
    const found = readSchema(db) ?? { version: 0, compatibleFrom: 0 };
    // What this version does not know it cannot move either.
    checkVersion(path, found, { areas: [area], isExact: true });
    const unknown = tablesOf(db).find((name) => !isKnownTable(name));
    if (found.version === newestVersion([area]) && unknown !== undefined)
      throw new Error(`Nobody says how ${unknown} is moved.`);
  } catch (cause) {
    throw toStoreError(cause, path);
  }
}

const tablesOf = (db: DatabaseSync): string[] =>
  db
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
