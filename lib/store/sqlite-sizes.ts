import type { TableSizes } from "./engine";
import { StoreError } from "./errors";
import { runInThread } from "./run-in-thread";

const waitAtMostMs = 120_000;

/** Reads every page of the files, over connections of its own. */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const { statSync } = require("node:fs");
const tables = {};
let unused = 0;
for (const path of workerData) {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  const rows = db.prepare(
    "select coalesce(m.tbl_name, s.name) as name, sum(s.pgsize) as bytes " +
    "from (select name, pgsize from dbstat where aggregate = 1) s left join sqlite_schema m on m.name = s.name group by 1",
  );
  const [pages, size] = ["page_count", "page_size"].map((name) => db.prepare("pragma " + name).get()[name]);
  const log = statSync(path + "-wal", { throwIfNoEntry: false });
  unused += pages * size + (log?.size ?? 0);
  for (const { name, bytes } of rows.all()) {
    tables[name] = (tables[name] ?? 0) + bytes;
    unused -= bytes;
  }
  db.close();
}
parentPort.postMessage({ tables, unused });
`;

/** What each table takes with its indexes, over all these files; what belongs to none (free pages, the write-ahead logs) counts as unused. In bytes. */
export async function readSizes(paths: readonly string[]): Promise<TableSizes> {
  try {
    return await runInThread(program, paths, AbortSignal.timeout(waitAtMostMs));
  } catch (cause) {
    throw new StoreError("busy", "The size of the database could not be read; try again.", { cause });
  }
}
