import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { touch } from "@/lib/store/data-dir";
import { StoreError } from "@/lib/store/errors";

/** What stands beside a database file while it is replaced, and after that. */
const building = (path: string) => `${path}.building`;
const verified = (path: string) => `${path}.verified`;
/** The file as it was, until what has replaced it was opened well twice. */
export const previous = (path: string) => `${path}.previous`;

/**
 * Makes the new file beside a database that nobody has open. `build` fills it and throws where it is not as it should
 * be; nothing is left of it then.
 */
export async function buildFile(path: string, build: (to: string) => Promise<void>): Promise<void> {
  const to = building(path);
  touch(to);
  try {
    await build(to);
    for (const file of [path, to]) requireWhole(file);
    sync(to);
  } catch (cause) {
    forget(to);
    throw cause;
  }
}

/**
 * Puts what `buildFile` has made in the place of the database, which stays as a copy. Where the process ends on the way,
 * `settleFile` goes on or clears up.
 */
export function placeFile(path: string, onStep: (step: string) => void): void {
  renameSync(building(path), verified(path));
  syncFolder(path);
  onStep("verified");
  renameSync(path, previous(path));
  onStep("moved away");
  renameSync(verified(path), path);
  syncFolder(path);
  onStep("replaced");
}

/** Where a start before this one was cut short, the verified file takes its place, and what is not verified goes. */
export function settleFile(path: string): void {
  forget(building(path));
  if (!existsSync(verified(path))) return;
  // With the old one still there, somebody may have written to it since.
  if (existsSync(path)) forget(verified(path));
  else renameSync(verified(path), path);
  syncFolder(path);
}

/** Takes back what `buildFile` has made. */
export const dropBuilt = (path: string): void => forget(building(path));

/** Deletes the copy, if there is one. */
export const dropPrevious = (path: string): void => forget(previous(path));

/** Deletes a database that nobody has open. */
export function forget(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${suffix}`, { force: true });
}

/** A journal would be taken for the one of the file that comes in its place. */
function requireWhole(path: string): void {
  const journal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (journal && journal.size > 0)
    throw new StoreError(
      "io",
      `The journal of ${path} is not written back; free some space on its disk, close other programs that have the file open, and start again. Nothing was changed.`,
    );
}

export function sync(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

/** So that a rename survives a power cut; Windows neither knows nor needs it. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}
