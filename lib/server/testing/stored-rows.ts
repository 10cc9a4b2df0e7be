import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ask } from "@/lib/store/testing/postgres-server";

type StoredRow = Record<string, unknown>;

interface Column {
  table: string;
  name: string;
  isBytes: boolean;
}

const isOnPostgres = () => Boolean(process.env.DATABASE_URL);

/** One statement past the application, on the database that it has, whichever engine that is. */
export async function askStored(statement: string): Promise<StoredRow[]> {
  const { DATABASE_URL, DATA_DIR = "" } = process.env;
  if (DATABASE_URL) return ask(DATABASE_URL, statement);
  const db = new DatabaseSync(join(DATA_DIR, "meguri.db"), { timeout: 5_000 });
  try {
    db.prepare("attach ? as log").run(join(DATA_DIR, "run-log.db"));
    return db.prepare(statement).all();
  } finally {
    db.close();
  }
}

export async function countRows(table: string): Promise<number> {
  const [row] = await askStored(`select count(*) as n from ${table}`);
  return Number(row?.n);
}

/** All that was committed until now, but for who is there, and for logs, which are packed when nobody looks. */
export async function wholeStored(): Promise<string> {
  const tables = [...(await tablesOf())].filter(([table]) => !["instance", "event_range"].includes(table));
  const texts = tables.map(([table, columns]) => {
    const row = isOnPostgres()
      ? "t::text"
      : columns.map(({ name }) => `quote("${name}")`).join(" || ',' || ");
    return `select '${table}' as place, ${row} as text from "${table}" t`;
  });
  return JSON.stringify(await askStored(texts.join(" union all ")));
}

/** Rows of each table that says whose they are. */
export async function ownedRows(userId: string): Promise<Record<string, StoredRow[]>> {
  const rows: Record<string, StoredRow[]> = {};
  for (const [table, columns] of await tablesOf())
    if (columns.some(({ name }) => name === "user_id"))
      rows[table] = await askStored(`select * from ${table} where user_id = '${userId}'`);
  return rows;
}

/** Columns that hold this text anywhere, as `table.column`. */
export async function mentions(text: string): Promise<string[]> {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  const holds = ({ name, isBytes }: Column) => {
    if (!isOnPostgres()) return `instr("${name}", ${quoted}) > 0`;
    return isBytes
      ? `position(convert_to(${quoted}, 'UTF8') in "${name}") > 0`
      : `position(${quoted} in "${name}"::text) > 0`;
  };
  const looks = [...(await tablesOf()).values()]
    .flat()
    .map(
      (column) =>
        `select '${column.table}.${column.name}' as place where exists (select 1 from "${column.table}" where ${holds(column)})`,
    );
  const found: StoredRow[] = [];
  // SQLite takes 500 in one.
  for (let at = 0; at < looks.length; at += 400)
    found.push(...(await askStored(looks.slice(at, at + 400).join(" union all "))));
  return found.map(({ place }) => String(place));
}

/** Apart from those that the search of SQLite keeps for itself. */
async function tablesOf(): Promise<Map<string, Column[]>> {
  const columns = await askStored(isOnPostgres() ? ofPostgres : ofSqlite);
  return Map.groupBy(
    columns.map(({ place, name, type }) => ({
      ...{ table: String(place), name: String(name), isBytes: type === "bytea" },
    })),
    ({ table }) => table,
  );
}

const ofPostgres = `select table_name as place, column_name as name, data_type as type
  from information_schema.columns where table_schema = current_schema()`;
const ofSqlite = ["main", "log"]
  .map(
    (
      file,
    ) => `select m.name as place, c.name, c.type from ${file}.sqlite_master m, pragma_table_info(m.name, '${file}') c
      where m.type = 'table' and m.name not like 'message\\_fts%' escape '\\'`,
  )
  .join(" union ");
