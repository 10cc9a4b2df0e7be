import {
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  utimes,
  writeFile,
} from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { KeyedMutex } from "@/lib/server/keyed-mutex";

/** In a folder of a server; all that is ours there is in it. */
const folderName = ".meguri";
/** Folders that are remembered: the roots of servers that were given a file, some of which each person has for themselves. */
const maxFolders = 5_000;
/** Copies of one file in a folder: a new one is made when a tool has changed the one before. */
const maxCopies = 10;
/** Bytes of a file's name, as file systems take them with room to spare. */
const maxName = 150;
const isOurs = /^([\da-f-]{36})(\.\d+)?$/;

/** A file that a server is to find by its path. */
export interface CopiedFile {
  /** UUIDv7. */
  id: string;
  name: string;
  size: number;
  /** Writes it to a path where there is nothing yet. */
  writeTo(path: string): Promise<void>;
}

/**
 * Copies of files in the folders of local servers, as `<root>/.meguri/<id>/<name>`. Nothing that is there is written over and
 * no link is followed. They go with their files; which folders have some is kept in a file of its own, as an entry of a
 * server may be gone by then.
 */
export class FileCopies {
  private folders: Promise<Set<string>> | undefined;
  /** One after another: what is cleared away is not what is being written. */
  private readonly turns = new KeyedMutex();

  constructor(private readonly memory: string) {}

  /** The path of the copy. Throws where the folder cannot be written, or is not what it seems. */
  put(root: string, file: CopiedFile): Promise<string> {
    return this.turns.run("", () => this.copy(root, file));
  }

  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.turns.run("", () => this.clear((id) => ids.includes(id)));
  }

  /** Deletes the copies of all others. */
  sweep(known: ReadonlySet<string>): Promise<void> {
    return this.turns.run("", () => this.clear((id) => !known.has(id)));
  }

  private async copy(root: string, file: CopiedFile): Promise<string> {
    const folder = join(await realpath(root), folderName);
    await this.remember(folder);
    await makeFolder(folder);
    // Whoever keeps the root in a repository does not want these in it.
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }).catch(passIf("EEXIST"));
    for (let copy = 1; copy <= maxCopies; copy++) {
      const place = join(folder, copy === 1 ? file.id : `${file.id}.${copy}`);
      await makeFolder(place);
      const path = join(place, safeName(file.name));
      if (await isUnchanged(path, file)) return path;
      if (await write(path, file)) return path;
    }
    throw new Error(`${join(folder, file.id)} has ${maxCopies} changed copies already.`);
  }

  private async clear(isGone: (id: string) => boolean): Promise<void> {
    const folders = await this.known();
    const before = folders.size;
    for (const folder of folders) {
      if (!(await isFolder(folder))) {
        folders.delete(folder);
        continue;
      }
      const names = await readdir(folder).catch(() => []);
      const gone = names.filter((name) => isGone(isOurs.exec(name)?.[1] ?? "") && isOurs.test(name));
      for (const name of gone) await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
      if (names.every((name) => gone.includes(name) || name === ".gitignore")) {
        await rm(join(folder, ".gitignore"), { force: true }).catch(() => {});
        await rmdir(folder).catch(() => {});
        folders.delete(folder);
      }
    }
    if (folders.size < before) await this.save(folders);
  }

  /** Before the first file is there: after a crash it is still found. */
  private async remember(folder: string): Promise<void> {
    const folders = await this.known();
    if (folders.has(folder)) return;
    if (folders.size >= maxFolders)
      throw new Error(`${maxFolders} folders have files of conversations already.`);
    folders.add(folder);
    await this.save(folders);
  }

  private known(): Promise<Set<string>> {
    this.folders ??= readFile(this.memory, "utf8").then(
      (text) => new Set(foldersIn(text)),
      () => new Set(),
    );
    return this.folders;
  }

  private async save(folders: ReadonlySet<string>): Promise<void> {
    const part = `${this.memory}.${process.pid}.part`;
    await writeFile(part, JSON.stringify([...folders]), { mode: 0o600, flush: true });
    await rename(part, this.memory);
  }
}

function foldersIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    const isFolderOfOurs = (one: unknown): one is string =>
      typeof one === "string" && isAbsolute(one) && one.endsWith(folderName);
    return Array.isArray(value) ? value.filter(isFolderOfOurs).slice(0, maxFolders) : [];
  } catch {
    return [];
  }
}

/** A folder, and no link to one. */
const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(passIf("EEXIST"));
  if (!(await isFolder(path)) || (await realpath(path)) !== path) throw new Error(`${path} is no folder.`);
}

/** Whether it is the copy as it was made: its time is that of the file. */
async function isUnchanged(path: string, { id, size }: CopiedFile): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size && Math.abs(found.mtimeMs - timeOf(id)) < 1;
}

/** False where something is there already. */
async function write(path: string, file: CopiedFile): Promise<boolean> {
  try {
    await file.writeTo(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    await rm(path, { force: true }).catch(() => {});
    throw cause;
  }
  const time = new Date(timeOf(file.id));
  await utimes(path, time, time);
  return true;
}

/** When a UUIDv7 was made, ms. */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

/** One name, of letters that every file system takes, with its ending. */
function safeName(name: string): string {
  const letters = name
    .slice(-2 * maxName)
    .normalize("NFC")
    .replaceAll(/[\p{C}/\\:*?"<>|]/gu, "_")
    .replaceAll(/^[.\s-]+|[.\s]+$/g, "");
  let kept = [...letters];
  while (Buffer.byteLength(kept.join("")) > maxName) kept = kept.slice(1);
  return kept.join("").replace(/^[.\s-]+/, "") || "file";
}

const passIf = (code: string) => (cause: NodeJS.ErrnoException) => {
  if (cause.code !== code) throw cause;
};
