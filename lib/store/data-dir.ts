import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreError } from "./errors";

/**
 * Makes the folder (for its owner only) and sees that it can be written; a `data_dir` StoreError when not, or when
 * `scripts/restore.mjs` has not come to its end there.
 */
export function prepareDataDir(dataDir: string): void {
  orExplain(`DATA_DIR ${dataDir}`, () => makeFolder(dataDir, 0o700));
  if (existsSync(join(dataDir, "meguri.restoring")))
    throw new StoreError(
      "data_dir",
      `A backup is being restored into DATA_DIR ${dataDir}, or was not restored to its end: wait for it, or empty the folder and restore again.`,
    );
  touch(join(dataDir, "meguri.pid"));
}

/**
 * Makes an empty file for its owner only, or leaves one that is there. Never for a file that SQLite has open in this
 * process: closing any handle lets go of all locks that a process holds on a file.
 */
export function touch(path: string): void {
  orExplain(path, () => closeSync(openSync(path, "a", 0o600)));
}

function orExplain(what: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new StoreError(
      "data_dir",
      `${what} cannot be written (${reason}); make it writable for this user, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

/** Node's `recursive` never returns where the file system answers ENOENT whatever exists, as /proc does. */
function makeFolder(path: string, mode?: number): void {
  if (tryMake(path, mode)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode });
}

function tryMake(path: string, mode?: number): boolean {
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" && dirname(path) !== path) return false;
    if (code !== "EEXIST") throw cause;
  }
  return true;
}
