import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { newerVersion, newestVersion } from "@/lib/store/migrations/migrate";
import type { Area } from "@/lib/store/migrations/migrations";
import { toStoreError } from "@/lib/store/sqlite-fault";

/** What a database file is. */
export interface FileState {
  version: number;
  bytes: number;
  isNewest: boolean;
}

const incremental = 2;

/**
 * Looks at a file of this area that nobody has open; nothing of one that is not there or has no tables. Throws `corrupt`
 * for one that is no database, and `newer_version`.
 */
export function inspectFile(path: string, area: Area): FileState | undefined {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return undefined;
  const found = look(path);
  if (!found) return undefined;
  const newest = newestVersion([area]);
  if (found.version > newest) throw newerVersion(path, found.version, newest);
  return {
    version: found.version,
    bytes,
    isNewest: found.version === newest && found.autoVacuum === incremental,
  };
}

function look(path: string): { version: number; autoVacuum: unknown } | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path);
    const tables = db.prepare("select count(*) as n from sqlite_master where name = 'schema_version'").get();
    if (!tables?.n) return undefined;
    const row = db.prepare("select coalesce(max(version), 0) as version from schema_version").get();
    const autoVacuum = db.prepare("pragma auto_vacuum").get()?.auto_vacuum;
    return { version: Number(row?.version), autoVacuum };
  } catch (cause) {
    throw toStoreError(cause, path);
  } finally {
    db?.close();
  }
}
