import type { SQLOutputValue } from "node:sqlite";
import { CompiledQuery, type Kysely, sql } from "kysely";
import { StoreError } from "@/lib/store/errors";
import type { Parameter } from "@/lib/store/parameter";
import type { DB } from "@/lib/store/schema";
import { type Column, digestOf, RowDigest } from "./row-digest";
import type { SourceFolder } from "./source-folder";

/** Of one statement. A row that is larger comes alone. */
const most = { rows: 1_000, bytes: 4_000_000, parameters: 60_000 };

/** Copies the rows of a table and has PostgreSQL count and hash what it has got; gives how many there are. */
export async function copyTable(
  trx: Kysely<DB>,
  folder: SourceFolder,
  table: string,
  onRows: (rows: number) => void,
): Promise<number> {
  const columns = await columnsOf(trx, table);
  const names = columns.map(({ name }) => name);
  const missing = folder.columnsOf(table).find((name) => !names.includes(name));
  if (missing) throw new Error(`${table} has no column ${missing} in PostgreSQL.`);
  const digest = new RowDigest(columns);
  const add = async (rows: readonly Parameter[][]) => {
    await insert(trx, table, names, rows);
    for (const row of rows) digest.add(row);
    onRows(digest.rows);
  };
  const mostRows = Math.min(most.rows, Math.floor(most.parameters / columns.length));
  let [rows, bytes]: [Parameter[][], number] = [[], 0];
  for (const values of folder.rows(table, names)) {
    const row = values.map((value, index) => toValue(value, columns[index], table));
    const size = row.reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (rows.length === mostRows || (rows.length > 0 && bytes + size > most.bytes)) {
      await add(rows);
      [rows, bytes] = [[], 0];
    }
    rows.push(row);
    bytes += size;
  }
  if (rows.length > 0) await add(rows);
  if ((await digestOf(trx, table, columns)) !== digest.toString()) throw notTheSame(table);
  return digest.rows;
}

export const notTheSame = (what: string) =>
  new StoreError("io", `${what} did not arrive as it is in the folder; check both disks and try again.`);

const kinds: Record<string, Column["kind"]> = {
  text: "text",
  bigint: "integer",
  "double precision": "float",
  bytea: "bytes",
};

async function columnsOf(db: Kysely<DB>, table: string): Promise<Column[]> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = to_regclass(quote_ident(${table})) and attnum > 0 and not attisdropped order by attnum`.execute(
    db,
  );
  return rows.map(({ name, type }) => {
    const kind = kinds[type];
    if (!kind) throw new Error(`Nobody says how a ${type} is moved (${table}.${name}).`);
    return { name, kind };
  });
}

/** SQLite takes any value in any column; one of another kind was written by hand. */
function toValue(value: SQLOutputValue | undefined, column: Column | undefined, table: string): Parameter {
  if (value === null || value === undefined) return null;
  const fits = {
    text: typeof value === "string",
    integer: typeof value === "bigint",
    float: typeof value === "number" || typeof value === "bigint",
    bytes: value instanceof Uint8Array,
  };
  if (column && fits[column.kind]) return value;
  throw new StoreError(
    "invalid",
    `${table}.${column?.name} holds a value that is no ${column?.kind}: the folder was changed by hand. Correct it there.`,
  );
}

const sizeOf = (value: Parameter): number =>
  typeof value === "string" ? value.length : value instanceof Uint8Array ? value.byteLength : 8;

async function insert(
  trx: Kysely<DB>,
  table: string,
  columns: readonly string[],
  rows: readonly Parameter[][],
): Promise<void> {
  const names = columns.map((name) => `"${name}"`).join(", ");
  const marks = rows.map(
    (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(", ")})`,
  );
  const text = `insert into "${table}" (${names}) values ${marks.join(", ")}`;
  await trx.executeQuery(CompiledQuery.raw(text, rows.flat()));
}
