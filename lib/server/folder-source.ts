import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "@/lib/mcp/config/write-file";
import { type FolderTexts, hashOf } from "./folder-copy";

interface SourceOptions {
  /** Only read; it need not be there. */
  dir: string;
  /** What of it is shared, by name; none where it is not there. */
  read(dir: string): Promise<ReadonlyMap<string, FolderTexts>>;
  /** Where this instance keeps what it has seen there. */
  memory: string;
}

/** A name of which the folder holds other texts, or none any more. */
export interface SourceChange {
  name: string;
  texts: FolderTexts | undefined;
}

/** A folder that an instance was given, and what the instance has seen there. */
export class FolderSource {
  /** Hashes by name; undefined where this instance has never looked. */
  private seen: Map<string, string> | undefined;
  private stamp: string | undefined;

  constructor(private readonly options: SourceOptions) {}

  /** As an earlier process of this instance has left it. */
  async remember(): Promise<void> {
    const text = await readFile(this.options.memory, "utf8").catch(() => "null");
    const memory = Memory.safeParse(readJson(text)).data;
    // Of another folder it says nothing.
    if (memory?.dir === this.options.dir) this.seen = new Map(Object.entries(memory.seen));
  }

  /**
   * Gives each change since the last time to `take`, with whether this instance looks for the first time; again where that throws.
   * False where nothing has happened in the folder.
   */
  async takeChanges(take: (change: SourceChange, isFirst: boolean) => Promise<void>): Promise<boolean> {
    const { dir, read, memory } = this.options;
    const stamp = await stampOf(dir);
    if (stamp === this.stamp) return false;
    const found = await read(dir);
    // A folder that holds nothing may be one that is just not mounted.
    if (found.size === 0) return false;
    const hashes = new Map([...found].map(([name, texts]) => [name, hashOf(texts)]));
    const isFirst = this.seen === undefined;
    for (const [name, texts] of found)
      if (this.seen?.get(name) !== hashes.get(name)) await take({ name, texts }, isFirst);
    for (const name of this.seen?.keys() ?? [])
      if (!found.has(name)) await take({ name, texts: undefined }, isFirst);
    await mkdir(dirname(memory), { recursive: true, mode: 0o700 });
    const next: z.infer<typeof Memory> = { dir, seen: Object.fromEntries(hashes) };
    await writeFileAtomically(memory, JSON.stringify(next));
    this.seen = hashes;
    this.stamp = stamp;
    return true;
  }
}

const Memory = z.object({ dir: z.string(), seen: z.record(z.string(), z.string()) });

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Another one where anything in the folder may have changed. */
async function stampOf(dir: string): Promise<string> {
  const stamps: string[] = [];
  for (const path of await filesIn(dir)) {
    // Of what a link leads to, as it is how some folders are mounted.
    const found = await stat(join(dir, path), { bigint: true }).catch(() => undefined);
    stamps.push(`${path} ${found?.ino} ${found?.size} ${found?.mtimeNs} ${found?.ctimeNs}`);
  }
  return stamps.join("\n");
}

/** In a folder that holds more than texts the rest is not looked at. */
const maxFiles = 5_000;

/** Paths in a folder, with slashes and in order, without what is hidden or stands in a linked folder. */
export async function filesIn(dir: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [""];
  for (const folder of folders) {
    const entries = await readdir(join(dir, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name.startsWith(".")) continue;
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) folders.push(`${path}/`);
      else files.push(path);
    }
    if (files.length + folders.length > maxFiles) break;
  }
  return files.slice(0, maxFiles).toSorted();
}
