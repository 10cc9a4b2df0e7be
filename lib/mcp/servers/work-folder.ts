import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { McpServerConfig } from "@/lib/protocol/mcp";

/** What a server reads and writes for one person lies apart from what it does for others. */
export const personFolder = (dataDir: string, person: string): string =>
  join(dataDir, "people", encodeURIComponent(person));

/** What `${dataFolder}` means in an entry: for a process that one person has for themselves a folder of theirs. */
export const dataFolderOf = (
  { scope, url }: McpServerConfig,
  { dataDir, person }: { dataDir: string; person?: string | undefined },
): string =>
  person !== undefined && scope === "user" && url === undefined ? personFolder(dataDir, person) : dataDir;

/** Looked up once for each entry of the file: servers are described often. */
const known = new WeakMap<McpServerConfig, boolean>();

/**
 * The working folder of a server without a `cwd`: a separate folder for what it writes. A server whose command or
 * arguments name something in the project works in the project.
 */
export function workFolder(
  name: string,
  config: McpServerConfig,
  { root, dataDir }: { root: string; dataDir: string },
): string {
  let isProject = known.get(config);
  if (isProject === undefined) {
    isProject = [config.command ?? "", ...(config.args ?? [])].some((word) => namesPlace(word, root));
    known.set(config, isProject);
  }
  return isProject ? root : join(dataDir, "servers", folderName(name));
}

const namesPlace = (word: string, root: string): boolean =>
  word !== "" && !/^[-/\\~$]|^[a-z][a-z\d+.-]*:/i.test(word) && existsSync(resolve(root, word));

/** Two names never have the same folder, whatever characters they contain. */
function folderName(name: string): string {
  const readable = name.replace(/[^\w-]+/g, "_").slice(0, 40);
  if (readable === name) return name;
  return `${readable}-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
}
