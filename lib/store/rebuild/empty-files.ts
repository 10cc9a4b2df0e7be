import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { touch } from "@/lib/store/data-dir";
import { keptPrefix, keptSettings, keptTables } from "@/lib/store/kept-settings";
import { migrate } from "@/lib/store/migrations/migrate";
import type { DB } from "@/lib/store/schema";
import { sqliteDialect } from "@/lib/store/sqlite-dialect";
import type { DatabaseFile } from "./rebuild-files";
import { dropPrevious, forget, sync, syncFolder } from "./replace-file";

/** Lies in the folder from when everything is to be deleted until it is. */
const mark = (path: string) => join(dirname(path), "meguri.deleting");
const empty = (path: string) => `${path}.empty`;
/** It holds all that stays, and nothing stands in its way. */
const ready = (path: string) => `${path}.emptied`;

/** Whether an earlier process has begun to delete everything and has not come to the end. */
export const isBeingEmptied = ({ path }: DatabaseFile): boolean => existsSync(mark(path));

/** From now on the next start deletes everything if this process does not. */
export function beginEmptying({ path }: DatabaseFile): void {
  const file = openSync(mark(path), "w", 0o600);
  closeSync(file);
  syncFolder(path);
}

export function endEmptying({ path }: DatabaseFile): void {
  rmSync(mark(path), { force: true });
  syncFolder(path);
}

/** Makes an empty file of the newest version beside a database; it may be open. */
export async function buildEmpty({ path, area }: DatabaseFile): Promise<void> {
  forget(empty(path));
  touch(empty(path));
  const db = new Kysely<DB>({ dialect: sqliteDialect(empty(path), "normal") });
  try {
    await migrate(db, [area], empty(path));
  } finally {
    await db.destroy();
  }
}

/** Puts the empty file in the place of the database, which nobody has open, with what stays of it. */
export function placeEmpty({ path, area }: DatabaseFile, onStep: (step: string) => void): void {
  if (area === "records") keep(path, empty(path));
  sync(empty(path));
  renameSync(empty(path), ready(path));
  syncFolder(path);
  onStep("ready");
  settleEmptied(path, onStep);
}

/** Goes on where a process has ended in `placeEmpty`. */
export function settleEmptied(path: string, onStep: (step: string) => void = () => {}): void {
  if (!existsSync(ready(path))) return;
  // Its journal too, which would be taken for the one of the new file.
  forget(path);
  dropPrevious(path);
  onStep("deleted");
  renameSync(ready(path), path);
  syncFolder(path);
}

function keep(from: string, to: string): void {
  const db = new DatabaseSync(to);
  try {
    db.prepare("attach ? as old").run(from);
    db.exec("begin");
    db.prepare(
      "insert into setting (user_id, key, value) select user_id, key, value from old.setting " +
        "where user_id = 'system' or key in (select value from json_each(?)) or substr(key, 1, length(?)) = ?",
    ).run(JSON.stringify(keptSettings), keptPrefix, keptPrefix);
    // In this order: a session needs its person.
    for (const table of keptTables) {
      // A newer version may have given it more: the new file has the tables of this one.
      const columns = db.prepare("select name from pragma_table_info(?)").all(table);
      const names = columns.map(({ name }) => `"${name}"`).join(", ");
      db.exec(`insert into ${table} (${names}) select ${names} from old.${table}`);
    }
    db.exec("commit; detach old");
  } finally {
    db.close();
  }
}
