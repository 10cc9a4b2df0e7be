import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { checkVersion, newestVersion } from "@/lib/store/migrations/migrate";
import type { Area } from "@/lib/store/migrations/migrations";
import { readSchema, type SchemaState } from "@/lib/store/migrations/schema-version";
import { toStoreError } from "@/lib/store/sqlite-fault";

/** What a database file is. */
export interface FileState {
  version: number;
  bytes: number;
  /** Of this version, or of a newer one that this one can go on with. */
  isNewest: boolean;
}

const incremental = 2;

/**
 * Looks at a file of this area that nobody has open; nothing of one that is not there or has no tables. Throws `corrupt`
 * for one that is no database, and `newer_version`; with `isExact` for any that is newer.
 */
export function inspectFile(path: string, area: Area, isExact = false): FileState | undefined {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return undefined;
  const found = look(path);
  if (!found) return undefined;
  const { version } = found.schema;
  checkVersion(path, found.schema, { areas: [area], isExact });
  return {
    version,
    bytes,
    isNewest: version >= newestVersion([area]) && found.autoVacuum === incremental,
  };
}

function look(path: string): { schema: SchemaState; autoVacuum: unknown } | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path);
    const schema = readSchema(db);
    return schema && { schema, autoVacuum: db.prepare("pragma auto_vacuum").get()?.auto_vacuum };
  } catch (cause) {
    throw toStoreError(cause, path);
  } finally {
    db?.close();
  }
}
