import { closeSync, existsSync, fdatasyncSync, openSync } from "node:fs";
import { join } from "node:path";
import * as sqlite from "node:sqlite";
import { commandLine } from "../command-name.mjs";
import { SetupError } from "../setup-error.mjs";
import { databases } from "./format.mjs";

/** Pages that are copied, and then are on the disk: 4 MB. */
const pagesAtOnce = 1024;
const busyTimeoutMs = 5_000;
const maxAttempts = 100;

/**
 * Copies both databases as they are at one moment into a folder, while the application reads and writes them; it waits
 * for nothing. Returns the version of each, and the oldest one whose programs go on with it.
 */
export async function takeSnapshot(dataDir, into) {
  if (!sqlite.backup)
    throw new SetupError(`A backup needs Node 22.16 or newer: start it by \`${commandLine("backup")}\`.`);
  const paths = databases.map(({ name }) => join(dataDir, name));
  if (!paths.every((path) => existsSync(path)))
    throw new SetupError(
      `DATA_DIR ${dataDir} holds no data of Meguri: set DATA_DIR to the folder that it uses.`,
    );
  refuseWhileReplaced(dataDir);
  const [records, log] = paths.map(
    (path) => new sqlite.DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs }),
  );
  try {
    holdBoth(records, log, paths[0]);
    refuseWhileReplaced(dataDir);
    const versions = {
      schema: { records: newestOf(records, "version"), log: newestOf(log, "version") },
      compatibleFrom: { records: compatibleFrom(records), log: compatibleFrom(log) },
    };
    await copy(records, join(into, databases[0].name));
    await copy(log, join(into, databases[1].name));
    return versions;
  } finally {
    records.close();
    log.close();
  }
}

/**
 * What is written and not on the disk yet stays little: where file systems write all of it before the next commit of
 * anybody, answers would wait for as long as that takes.
 */
async function copy(db, to) {
  const file = openSync(to, "a", 0o600);
  try {
    await sqlite.backup(db, to, { rate: pagesAtOnce, progress: () => fdatasyncSync(file) });
  } finally {
    closeSync(file);
  }
}

/** Begins to read both at a moment between two commits to the records, so that the log is as old as they are. */
function holdBoth(records, log, recordsPath) {
  const watch = new sqlite.DatabaseSync(recordsPath, { readOnly: true, timeout: busyTimeoutMs });
  const changes = () => Number(watch.prepare("pragma data_version").get()?.data_version);
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const before = changes();
      for (const db of [records, log]) {
        // The first read chooses the moment.
        db.exec("begin");
        db.prepare("select count(*) from sqlite_schema").get();
      }
      if (changes() === before) return;
      for (const db of [records, log]) db.exec("rollback");
    }
  } finally {
    watch.close();
  }
  throw new SetupError(
    "The databases are written without a pause: try again when fewer answers are written.",
  );
}

const newestOf = (db, value) =>
  Number(db.prepare(`select max(${value}) as newest from schema_version`).get()?.newest);

/** Files of earlier versions do not say it: they are for these alone. */
function compatibleFrom(db) {
  const columns = db.prepare("select name from pragma_table_info('schema_version')").all();
  const isSaid = columns.some(({ name }) => name === "compatible_from");
  return newestOf(db, isSaid ? "coalesce(compatible_from, version)" : "version");
}

/** Other files take the place of these while everything is deleted, and while a start upgrades them. */
function refuseWhileReplaced(dataDir) {
  const names = ["meguri.deleting", "meguri.restoring"].concat(
    databases.flatMap(({ name }) => [`${name}.building`, `${name}.verified`, `${name}.emptied`]),
  );
  const found = names.find((name) => existsSync(join(dataDir, name)));
  if (found)
    throw new SetupError(
      `The databases in ${dataDir} are just being replaced (${found}): start Meguri, and try again when it is ready.`,
    );
}
