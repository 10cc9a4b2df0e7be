import { createHash, type Hash } from "node:crypto";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { StoreError } from "@/lib/store/errors";

/** Throws where a table of the copy has other rows than the original. Reads one row of each at a time. */
export function compareTables(original: string, copy: string, onRows: (rows: number) => void): void {
  let rows = 0;
  const count = () => onRows(++rows);
  const [mine, theirs] = [original, copy].map((path) => readTables(path, count));
  for (const [table, digest] of mine ?? [])
    if (theirs?.get(table) !== digest)
      throw new StoreError(
        "io",
        `Table ${table} of ${original} was not copied as it is; check the disk and start again. Nothing was changed.`,
      );
}

/** By name: how many rows there are, and a hash of them in their order. */
function readTables(path: string, onRow: () => void): Map<string, string> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const names = db.prepare("select name from sqlite_master where type = 'table'").all();
    return new Map(names.map(({ name }) => [String(name), digestOf(db, String(name), onRow)]));
  } finally {
    db.close();
  }
}

function digestOf(db: DatabaseSync, table: string, onRow: () => void): string {
  const hash = createHash("sha256");
  let rows = 0;
  const read = db.prepare(`select * from "${table}"`);
  read.setReadBigInts(true);
  for (const row of read.iterate()) {
    for (const value of Object.values(row)) addTo(hash, value);
    rows++;
    onRow();
  }
  return `${rows} ${hash.digest("hex")}`;
}

/** With its kind and its length, so that no two rows look alike. */
function addTo(hash: Hash, value: SQLOutputValue): void {
  const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value));
  hash.update(`${value === null ? "null" : typeof value} ${bytes.length} `);
  hash.update(bytes);
}
