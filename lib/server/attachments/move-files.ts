import type { BaseDeps } from "@/lib/server/base-deps";
import { isStoreError } from "@/lib/server/http/store-failure";
import { Progress } from "@/lib/store/rebuild/progress";
import { type ByteFolder, idOf } from "./byte-folder";
import type { DiskFolder } from "./disk-folder";

interface Move extends Pick<BaseDeps, "store"> {
  from: DiskFolder;
  to: Pick<ByteFolder, "has" | "write" | "rename">;
  log: Pick<BaseDeps["log"], "info" | "error">;
  /** Is given a line each few seconds. */
  tell(line: string): void;
}

/**
 * Takes into the database what an earlier version kept in a folder although its rows were in the database already. Each file
 * is there whole before it goes here, so that where this is cut short the next start goes on. What no row speaks of stays:
 * it may be of an SQLite database beside it. Throws what the database says.
 */
export async function moveFiles({ from, to, store, log, tell }: Move): Promise<void> {
  const found = (await from.names()).filter((name) => !name.endsWith(".part"));
  if (found.length === 0) return;
  const known = await store.attachments.allIds();
  const names = found.filter((name) => known.has(idOf(name)));
  const progress = new Progress("Taking attached files into the database", tell);
  let moved = 0;
  for (const name of names)
    try {
      if (!(await to.has(name))) await copyWhole(from, to, name);
      await from.remove([name]);
      moved += 1;
      progress.at(() => `${moved} of ${names.length} files`);
    } catch (err) {
      if (isStoreError(err)) throw err;
      log.error(
        { err, name },
        "an attached file was not taken into the database; the next start tries again",
      );
    }
  progress.end();
  if (moved > 0) log.info({ files: moved }, "attached files that lay in DATA_DIR are in the database now");
}

async function copyWhole(from: DiskFolder, to: Move["to"], name: string): Promise<void> {
  const part = `${name}.part`;
  await to.write(part, from.pieces(name));
  await to.rename(part, name);
}
