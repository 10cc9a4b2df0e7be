import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { FolderTexts } from "@/lib/server/folder-copy";
import { filesIn } from "@/lib/server/folder-source";
import { SkillFault } from "./parse-skill";
import { readInside } from "./read-inside";
import { listFolders } from "./skill-folder";

/** Of one skill. */
const maxFiles = 500;
const maxCharacters = 8_000_000;

/** By folder, what can be read of each skill, for other instances to have it as well. */
export async function readSkillTexts(
  dir: string,
  warn: (message: string) => void,
): Promise<Map<string, FolderTexts>> {
  const root = await realpath(dir).catch(() => undefined);
  const skills = new Map<string, FolderTexts>();
  if (root !== undefined)
    for (const { name } of await listFolders(root)) {
      const texts = await readTexts(root, name, warn);
      if (Object.keys(texts).length > 0) skills.set(name, texts);
    }
  return skills;
}

/** The text files of a folder, by their path; what is no text or leads elsewhere is left out, as no model can read it. */
async function readTexts(
  root: string,
  folder: string,
  warn: (message: string) => void,
): Promise<FolderTexts> {
  const base = join(root, folder);
  const texts: Record<string, string> = {};
  let [files, characters] = [0, 0];
  for (const path of await filesIn(base)) {
    const text = await readInside(base, path).catch((cause: unknown) => {
      if (!(cause instanceof SkillFault)) throw cause;
      warn(`${join(base, path)} is not taken up: ${cause.message}`);
    });
    if (text === undefined) continue;
    [files, characters] = [files + 1, characters + text.length];
    if (files > maxFiles || characters > maxCharacters) {
      warn(`${base} has more than ${maxFiles} files or ${maxCharacters} characters, and is not taken up.`);
      return {};
    }
    texts[`${folder}/${path}`] = text;
  }
  return texts;
}
