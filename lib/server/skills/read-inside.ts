import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { SkillFault } from "./parse-skill";

/** Of one file of a skill. */
export const maxSkillBytes = 256 * 1024;

/**
 * The text of a file in a folder whose path has no links. Throws `SkillFault` for what is not there, is no text, is too
 * long, or is elsewhere, by `..` or by a link, also by one that is put there meanwhile.
 */
export async function readInside(folder: string, file: string): Promise<string> {
  // A hidden file is none of the skill: keys, and what git keeps.
  if (file.split(/[/\\]/).some((part) => part === "" || part.startsWith(".")) || file.includes("\0"))
    throw new SkillFault(
      "A file is named by its path in the skill's folder, without dots at the beginning of a part.",
    );
  const handle = await openInside(folder, join(folder, file)).catch((cause) => {
    throw toFault(cause);
  });
  try {
    return decode(await readBounded(handle));
  } catch (cause) {
    throw toFault(cause);
  } finally {
    await handle.close();
  }
}

async function openInside(folder: string, path: string): Promise<FileHandle> {
  const real = await realpath(path);
  if (!real.startsWith(folder + sep)) throw leadsOut();
  // Without waiting for the other end of a pipe.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(real, flags);
  // A folder of the path may have become a link since it was looked at.
  if ((await realpath(real).catch(() => "")) === real) return handle;
  await handle.close();
  throw leadsOut();
}

const leadsOut = () => new SkillFault("It is a link that leads out of the skill's folder.");

async function readBounded(handle: FileHandle): Promise<Buffer> {
  if (!(await handle.stat()).isFile()) throw new SkillFault("It is no file.");
  const bytes = Buffer.alloc(maxSkillBytes + 1);
  let length = 0;
  for (let more = 1; more > 0 && length < bytes.length; length += more)
    more = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead;
  if (length > maxSkillBytes) throw new SkillFault("It has more than 256 KB; divide it into several files.");
  return bytes.subarray(0, length);
}

function decode(bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Said below.
  }
  throw new SkillFault("It is not text in UTF-8.");
}

function toFault(cause: unknown): SkillFault {
  if (cause instanceof SkillFault) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined) throw cause;
  return code === "ENOENT" || code === "ENOTDIR"
    ? new SkillFault("It is not there.")
    : new SkillFault(`It cannot be read (${code}).`);
}
