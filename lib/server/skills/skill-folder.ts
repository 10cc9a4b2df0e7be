import { createHash } from "node:crypto";
import { type Dirent, existsSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Env } from "@/lib/server/env";
import { parseSkill, SkillFault, type SkillHead } from "./parse-skill";
import { readInside } from "./read-inside";

export interface SkillFolderDeps {
  env: Pick<Env, "SKILLS_DIR">;
}

/** A folder with a `SKILL.md`, as it is now. */
export interface FolderSkill extends SkillHead {
  folder: string;
  /** Of its `SKILL.md`; another one means that it has changed. */
  version: string;
}

export interface SkillFolder {
  skills: FolderSkill[];
  /** Folders that hold no skill that can be used. */
  faults: { folder: string; error: string }[];
}

const maxFolders = 100;
const manifest = "SKILL.md";

/** Every folder in `SKILLS_DIR`, in the order of their names; none where there is no such directory. */
export async function readSkillFolder({ env }: SkillFolderDeps): Promise<SkillFolder> {
  // Each run asks, mostly for a directory that is not there, and to hear that from another thread takes longer.
  const root = existsSync(env.SKILLS_DIR) && (await realpath(env.SKILLS_DIR).catch(() => undefined));
  if (!root) return { skills: [], faults: [] };
  const folders = await everyFolder(root);
  const read = await Promise.all(folders.slice(0, maxFolders).map((entry) => readOne(root, entry)));
  const { skills, faults } = separate(read);
  const next = folders[maxFolders];
  if (next)
    faults.push({
      folder: next.name,
      error: `At most ${maxFolders} folders of skills are read, and ${folders.length} are there; delete some, or move them away.`,
    });
  return { skills, faults };
}

/** Those that are read, in the order of their names. */
export const listFolders = async (root: string): Promise<Dirent[]> =>
  (await everyFolder(root)).filter((entry) => entry.isDirectory()).slice(0, maxFolders);

async function everyFolder(root: string): Promise<Dirent[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter(isFolder).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Hidden ones are those of editors and of git; files beside the folders are notes. */
const isFolder = (entry: Dirent): boolean =>
  !entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink());

type Read = FolderSkill | SkillFolder["faults"][number];

async function readOne(root: string, entry: Dirent): Promise<Read> {
  const folder = entry.name;
  if (entry.isSymbolicLink()) return { folder, error: isLinkInWords };
  return { folder, ...(await readManifest(join(root, folder))) };
}

const isLinkInWords = "It is a link; put the folder itself into the folder of skills.";

function separate(read: readonly Read[]): SkillFolder {
  const skills = new Map<string, FolderSkill>();
  const faults: SkillFolder["faults"] = [];
  for (const each of read) {
    if ("error" in each) {
      faults.push(each);
      continue;
    }
    const before = skills.get(each.name);
    if (!before) skills.set(each.name, each);
    else
      faults.push({
        folder: each.folder,
        error: `The folder ${before.folder} has a skill called ${each.name} already.`,
      });
  }
  return { skills: [...skills.values()], faults };
}

type Manifest = (SkillHead & { version: string }) | { error: string };

/** By path, what was read last of files that are listed for each answer; a file is read again when its stamp is another. */
const readBefore = new Map<string, { stamp: string; said: Manifest }>();

async function readManifest(path: string): Promise<Manifest> {
  const stamp = await stampOf(join(path, manifest));
  const before = readBefore.get(path);
  if (stamp !== undefined && before?.stamp === stamp) return before.said;
  readBefore.delete(path);
  const said = await readHead(path);
  // Written while it was read: the next one reads it again.
  if (stamp !== undefined && stamp === (await stampOf(join(path, manifest))))
    readBefore.set(path, { stamp, said });
  for (const oldest of readBefore.keys()) if (readBefore.size > maxFolders) readBefore.delete(oldest);
  return said;
}

async function readHead(path: string): Promise<Manifest> {
  try {
    const text = await readInside(path, manifest);
    return { ...parseSkill(text), version: versionOf(text) };
  } catch (cause) {
    if (!(cause instanceof SkillFault)) throw cause;
    return { error: cause.message };
  }
}

async function stampOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":");
}

const versionOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A file of a skill as it is now, by default its `SKILL.md`; throws `SkillFault`. */
export async function readSkillFile(
  { env }: SkillFolderDeps,
  folder: string,
  file: string = manifest,
): Promise<{ text: string; version: string }> {
  const root = await realpath(env.SKILLS_DIR).catch(() => {
    throw new SkillFault("The folder of skills is not there any more.");
  });
  // A folder that has become a link since it was listed is no folder of skills.
  const path = join(root, folder);
  if ((await realpath(path).catch(() => path)) !== path) throw new SkillFault(isLinkInWords);
  const whole = await readInside(path, manifest);
  parseSkill(whole);
  const version = versionOf(whole);
  return { text: file === manifest ? whole : await readInside(path, file), version };
}
