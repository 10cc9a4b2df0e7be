import type { DatabaseSync } from "node:sqlite";
import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import { StoreError } from "@/lib/store/errors";
import type { DB } from "@/lib/store/schema";

/** What a database says of its tables. */
export interface SchemaState {
  /** The newest migration that they have; 0 where there is none. */
  version: number;
  /** The oldest version whose programs go on with them. */
  compatibleFrom: number;
}

/** Of rows from before programs could go on with newer tables there is no second number. */
const needed = "coalesce(max(coalesce(compatible_from, version)), 0)";
const state = `coalesce(max(version), 0) as version, ${needed} as "compatibleFrom"`;

/** For sessions of PostgreSQL on a database that has the table: a `SchemaState`, and a value of it alone. */
export const schemaQuery = `select ${state} from schema_version`;
export const neededVersion = `(select ${needed} from schema_version)`;

/** Makes the table that says it, and reads it. */
export async function openSchema(db: Kysely<DB>, dialect: Dialect): Promise<SchemaState> {
  await db.schema
    .createTable("schema_version")
    .ifNotExists()
    .addColumn("version", "integer", (col) => col.primaryKey().notNull())
    .addColumn("compatible_from", "integer")
    .execute();
  const { rows: columns } = await sql.raw(columnOf[dialect]).execute(db);
  if (columns.length === 0)
    await db.schema.alterTable("schema_version").addColumn("compatible_from", "integer").execute();
  const { rows } = await sql.raw<SchemaState>(schemaQuery).execute(db);
  return rows[0] ?? { version: 0, compatibleFrom: 0 };
}

/** A row where there is the second number. */
const columnOf: Record<Dialect, string> = {
  sqlite: "select 1 from pragma_table_info('schema_version') where name = 'compatible_from'",
  postgres: `select 1 from pg_attribute
    where attrelid = 'schema_version'::regclass and attname = 'compatible_from' and not attisdropped`,
};

/** The same of a file that is only looked at; undefined where it has no tables of ours. */
export function readSchema(db: DatabaseSync): SchemaState | undefined {
  if (!db.prepare("select 1 from sqlite_schema where name = 'schema_version'").get()) return undefined;
  const hasBoth = db.prepare(columnOf.sqlite).get() !== undefined;
  const columns = hasBoth ? "*" : "version, null as compatible_from";
  const found = db.prepare(`select ${state} from (select ${columns} from schema_version)`).get();
  return { version: Number(found?.version), compatibleFrom: Number(found?.compatibleFrom) };
}

/** `needed`: the oldest version that can work on it, `known`: this one. */
export const newerVersion = (
  name: string,
  {
    found,
    needed,
    known,
    dialect = "sqlite",
  }: { found: number; needed: number; known: number; dialect?: Dialect },
) =>
  new StoreError(
    "newer_version",
    `${name} was written by a newer Meguri (schema ${found}, which needs ${needed} or newer; this one knows ${known}); start that version again, or set ${elsewhere[dialect]}.`,
  );

const elsewhere: Record<Dialect, string> = {
  sqlite: "DATA_DIR to another folder",
  postgres: "DATABASE_URL to another database",
};
