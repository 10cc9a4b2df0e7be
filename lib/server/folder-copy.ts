import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { writeFileAtomically } from "@/lib/mcp/config/write-file";

/** What stands under one name in a folder: texts by their path in that folder, whose first part is the name. */
export type FolderTexts = Readonly<Record<string, string>>;

/** Tells texts from others. */
export const hashOf = (texts: FolderTexts): string =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(texts).toSorted()))
    .digest("hex")
    .slice(0, 32);

/** A folder that nobody else writes to, so that what reads folders reads it too. */
export class FolderCopy {
  constructor(readonly dir: string) {}

  /** What stands there under this name becomes this, one file after the other; undefined: nothing does. */
  async put(name: string, texts: FolderTexts | undefined): Promise<void> {
    if (!isPart(name)) return;
    const wanted = new Map(Object.entries(texts ?? {}).filter(([path]) => isUnder(name, path)));
    for (const path of await this.pathsUnder(name)) if (!wanted.has(path)) await rm(join(this.dir, path));
    if (wanted.size === 0) await rm(join(this.dir, name), { recursive: true, force: true });
    for (const [path, text] of wanted) {
      const to = join(this.dir, path);
      if ((await readFile(to, "utf8").catch(() => undefined)) === text) continue;
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await writeFileAtomically(to, text);
    }
  }

  /** Deletes what has none of these names. */
  async keep(names: ReadonlySet<string>): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.dir))
      if (!names.has(name)) await rm(join(this.dir, name), { recursive: true, force: true });
  }

  private async pathsUnder(name: string): Promise<string[]> {
    const inside = await readdir(join(this.dir, name), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    return inside
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(this.dir, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  }
}

/** Who can write to the database must not be able to write, or to delete, elsewhere. */
const isPart = (name: string): boolean => /^[^.\\/\0][^\\/\0]*$/.test(name);

function isUnder(name: string, path: string): boolean {
  const parts = path.split("/");
  return parts[0] === name && parts.every(isPart);
}
