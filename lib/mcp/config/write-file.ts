import { randomUUID } from "node:crypto";
import { open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces a file so that a reader sees the old text or the new one, never a part, even after a crash. */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
  await syncFolder(dirname(target));
  await clearLeftovers(target);
}

const abandonedMs = 60 * 60_000;

/** What a crash left of earlier writes: it may hold secrets, and nobody would look for it. */
async function clearLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const begin = `.${basename(target)}.`;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(begin) || !/^[0-9a-f-]{36}\.tmp$/.test(name.slice(begin.length))) continue;
    const path = join(folder, name);
    // A young one may belong to another process that is writing it now.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > abandonedMs) await rm(path, { force: true }).catch(() => {});
  }
}

async function syncFolder(path: string): Promise<void> {
  // Not every platform can open a folder; the rename is done anyway.
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
