import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { DataDirInUseError } from "./errors";
import { isBusy, toStoreError } from "./sqlite-fault";

/** Between taking the lock and writing its number a process can be caught without one. */
const attempts = 8;
const pauseMs = 25;

/**
 * Makes this process the only one on the folder; the returned function lets it go. The lock is the kernel's, held
 * through an open SQLite transaction, so it ends with the process however that dies, and a number reused by another
 * program means nothing. `meguri.pid` only tells a person who holds it. Throws DataDirInUseError.
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  const pidFile = join(dataDir, "meguri.pid");
  for (let attempt = 1; ; attempt++) {
    const held = tryLock(join(dataDir, "meguri.lock"));
    if (held) {
      tryWrite(pidFile, `${process.pid}\n`);
      return () => {
        rmSync(pidFile, { force: true });
        held.close();
      };
    }
    const pid = readPid(pidFile);
    if ((pid !== null && isAlive(pid)) || attempt === attempts) throw new DataDirInUseError(dataDir, pid);
    await sleep(pauseMs);
  }
}

function tryLock(path: string): DatabaseSync | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec("pragma journal_mode = memory; begin exclusive;");
    return db;
  } catch (cause) {
    db?.close();
    if (isBusy(cause)) return undefined;
    throw toStoreError(cause, path);
  }
}

/** On a full disk nobody is told who holds the lock; it is held all the same. */
function tryWrite(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch {
    rmSync(path, { force: true });
  }
}

function readPid(path: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(path, "utf8"), 10);
    return pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}
