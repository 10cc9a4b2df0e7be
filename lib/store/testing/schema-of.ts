import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { migrate } from "@/lib/store/migrations/migrate";
import type { Area, Migration } from "@/lib/store/migrations/migrations";
import { postgresDialect } from "@/lib/store/postgres-dialect";
import { openPool } from "@/lib/store/postgres-pool";
import type { DB } from "@/lib/store/schema";
import { sqliteDialect } from "@/lib/store/sqlite-dialect";
import { ask } from "./postgres-server";
import { createDatabase, tempDir } from "./temp-store";

/** What programs rely on of tables, as these migrations leave them. */
export interface Schema {
  columns: Column[];
  /** Of which no two rows have the same values. */
  uniques: { table: string; columns: string }[];
  /** Checks and references. */
  conditions: { table: string; text: string }[];
  /** Views, triggers and functions. */
  programs: { name: string; text: string }[];
}

interface Column {
  table: string;
  name: string;
  type: string;
  /** A statement that does not name it fails. */
  isAsked: boolean;
  isNullable: boolean;
}

const areas: readonly Area[] = ["records", "log"];

/** Of the engine that this run of the tests is about. */
export async function schemaOf(known: readonly Migration[]): Promise<Schema> {
  if (process.env.STORE_ENGINE !== "postgres") return readFile(known);
  const url = await createDatabase();
  const db = new Kysely<DB>({ dialect: postgresDialect(openPool(url)) });
  await migrate(db, areas, url, { dialect: "postgres", known }).finally(() => db.destroy());
  const read = async <Row>(query: string) => (await ask(url, query)) as Row[];
  return {
    columns: await read(`
      select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
        not a.attnotnull as "isNullable", a.attnotnull and not a.atthasdef and a.attidentity = '' as "isAsked"
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p', 'v') and ${isOurs("c.relnamespace")}`),
    uniques: await read(`
      select t.relname as table, string_agg(a.attname, ',' order by a.attname) as columns
      from pg_index i join pg_class t on t.oid = i.indrelid join pg_attribute a on a.attrelid = t.oid and a.attnum = any(i.indkey)
      where i.indisunique and ${isOurs("t.relnamespace")} group by i.indexrelid, t.relname`),
    conditions: await read(`
      select t.relname as table, pg_get_constraintdef(c.oid) as text from pg_constraint c join pg_class t on t.oid = c.conrelid
      where c.contype in ('c', 'f') and ${isOurs("t.relnamespace")}`),
    programs: await read(`
      select proname as name, pg_get_functiondef(oid) as text from pg_proc where ${isOurs("pronamespace")}
      union all select tgname, pg_get_triggerdef(g.oid) from pg_trigger g join pg_class t on t.oid = g.tgrelid
      where not tgisinternal and ${isOurs("t.relnamespace")}
      union all select viewname, definition from pg_views where schemaname = current_schema()`),
  };
}

const isOurs = (column: string) => `${column} = current_schema()::regnamespace`;

async function readFile(known: readonly Migration[]): Promise<Schema> {
  const path = `${tempDir()}/all.db`;
  const db = new Kysely<DB>({ dialect: sqliteDialect(path, "normal") });
  await migrate(db, areas, path, { known }).finally(() => db.destroy());
  const raw = new DatabaseSync(path, { readOnly: true });
  const read = <Row>(query: string) => raw.prepare(query).all() as Row[];
  const tables = "sqlite_schema t where t.type in ('table', 'view') and t.name not like 'message_fts_%'";
  const of = (pragma: string) => tables.replace("t where", `t join ${pragma} c where`);
  const schema: Schema = {
    columns: read<Omit<Column, "isAsked" | "isNullable"> & { isAsked: number; isNullable: number }>(
      `select t.name as "table", c.name, c.type, c."notnull" = 0 as "isNullable",
        c."notnull" = 1 and c.dflt_value is null as "isAsked" from ${of("pragma_table_xinfo(t.name)")}`,
    ).map((row) => ({ ...row, isAsked: row.isAsked === 1, isNullable: row.isNullable === 1 })),
    uniques: read(
      `select t.name as "table", (select group_concat(i.name order by i.name) from pragma_index_info(c.name) i) as columns
        from ${of("pragma_index_list(t.name)")} and c."unique" = 1`,
    ),
    conditions: read(
      `select t.name as "table", 'FOREIGN KEY (' || c."from" || ') REFERENCES ' || c."table" || ' ON DELETE ' || c.on_delete as text
        from ${of("pragma_foreign_key_list(t.name)")}`,
    ),
    programs: read("select name, sql as text from sqlite_schema where type in ('trigger', 'view')"),
  };
  raw.close();
  return schema;
}
