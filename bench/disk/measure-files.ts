import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export const answerTokens = 1_000;
export const answerCharacters = 5_600;

/** Bytes of one database file. */
export interface FileBytes {
  /** Pages that hold something. */
  used: number;
  free: number;
  /** Of the journal beside it. */
  journal: number;
  /** By table and index, whole pages, largest first. */
  tables: [name: string, bytes: number][];
}

export const databases = ["meguri.db", "run-log.db"] as const;

/** What both files take on the disk now, while an application may have them open. */
export const measureFiles = (dataDir: string): Record<(typeof databases)[number], FileBytes> => ({
  "meguri.db": measureFile(join(dataDir, "meguri.db")),
  "run-log.db": measureFile(join(dataDir, "run-log.db")),
});

function measureFile(path: string): FileBytes {
  const db = new DatabaseSync(path, { readOnly: true });
  const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
  try {
    const page = number("pragma page_size");
    const free = number("pragma freelist_count");
    const tables = db
      .prepare("select name, sum(pgsize) as bytes from dbstat group by name order by bytes desc")
      .all();
    return {
      used: (number("pragma page_count") - free) * page,
      free: free * page,
      journal: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      tables: tables.map(({ name, bytes }) => [String(name), Number(bytes)]),
    };
  } finally {
    db.close();
  }
}

/** Used pages of both files, and their journals. */
export const totalOf = (files: ReturnType<typeof measureFiles>): number =>
  Object.values(files).reduce((sum, { used, journal }) => sum + used + journal, 0);
