import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { type Area, migrations } from "@/lib/store/migrations/migrations";
import type { DB } from "@/lib/store/schema";
import { sqliteDialect } from "@/lib/store/sqlite-dialect";
import { tempDir } from "./temp-store";

/**
 * Gives a database file the tables and columns that it had at an earlier version, so that the next opening runs the
 * migrations after it. What rows hold is left to the test.
 */
export async function rewind(path: string, area: Area, version: number): Promise<void> {
  const before = await emptyAt(area, version);
  const raw = new DatabaseSync(path);
  const old = columnsOf(before);
  for (const kind of ["trigger", "view"])
    for (const name of namesOf(raw, kind))
      if (!namesOf(before, kind).includes(name)) raw.exec(`drop ${kind} ${name}`);
  // Those of an index for full text go with it.
  if (!old.has("message_fts")) raw.exec("drop table if exists message_fts");
  const indexes = namesOf(before, "index");
  for (const index of namesOf(raw, "index")) if (!indexes.includes(index)) raw.exec(`drop index ${index}`);
  for (const [table, columns] of columnsOf(raw)) {
    const kept = old.get(table);
    if (!kept && table !== "schema_version") raw.exec(`drop table ${table}`);
    for (const column of kept ? columns.filter((name) => !kept.includes(name)) : [])
      raw.exec(`alter table ${table} drop column ${column}`);
  }
  const now = columnsOf(raw);
  for (const table of old.keys()) if (!now.has(table)) raw.exec(statementOf(before, table));
  raw.exec(`delete from schema_version where version > ${version}`);
  raw.close();
  before.close();
}

async function emptyAt(area: Area, version: number): Promise<DatabaseSync> {
  const path = `${tempDir()}/${area}.db`;
  new DatabaseSync(path).close();
  const db = new Kysely<DB>({ dialect: sqliteDialect(path, "normal") });
  for (const migration of migrations)
    if (migration.area === area && migration.version <= version) await migration.up(db, () => {}, "sqlite");
  await db.destroy();
  return new DatabaseSync(path);
}

const statementOf = (db: DatabaseSync, table: string): string =>
  String(db.prepare("select sql from sqlite_master where type = 'table' and name = ?").get(table)?.sql);

/** Those that were made by name. */
const namesOf = (db: DatabaseSync, type: string): string[] =>
  db
    .prepare("select name from sqlite_master where type = ? and sql is not null")
    .all(type)
    .map(({ name }) => String(name));

function columnsOf(db: DatabaseSync): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  const rows = db
    .prepare(
      "select t.name as tab, c.name as col from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'",
    )
    .all() as { tab: string; col: string }[];
  for (const { tab, col } of rows) tables.set(tab, [...(tables.get(tab) ?? []), col]);
  return tables;
}
