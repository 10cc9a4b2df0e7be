import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

/** A database file as SQL that makes it again: its tables, indexes and rows. The file is closed, without a journal beside it. */
export function dumpFile(path: string): string {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const vacuum = db.prepare("pragma auto_vacuum").get()?.auto_vacuum;
    const made = db
      .prepare("select type, name, sql from sqlite_master where sql is not null order by type desc, name")
      .all();
    const rows = made.filter(({ type }) => type === "table").flatMap(({ name }) => rowsOf(db, String(name)));
    return [`pragma auto_vacuum = ${vacuum}`, ...made.map(({ sql }) => oneLine(String(sql))), ...rows]
      .map((statement) => `${statement};\n`)
      .join("");
  } finally {
    db.close();
  }
}

/** The file of a dump; there is none at this path yet. */
export function restoreFile(path: string, dump: string): void {
  const db = new DatabaseSync(path);
  try {
    db.exec(dump);
    db.exec("pragma journal_mode = wal");
  } finally {
    db.close();
  }
}

const oneLine = (sql: string): string => sql.replace(/\s*\n\s*/g, " ");

const rowsOf = (db: DatabaseSync, table: string): string[] =>
  db
    .prepare(`select * from "${table}"`)
    .all()
    .map((row) => `insert into "${table}" values (${Object.values(row).map(literal).join(", ")})`);

function literal(value: SQLOutputValue): string {
  if (value === null) return "null";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return value instanceof Uint8Array ? `x'${Buffer.from(value).toString("hex")}'` : String(value);
}
