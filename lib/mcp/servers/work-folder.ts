import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { McpServerConfig } from "@/lib/protocol/mcp";

/** Looked up once for each entry of the file: servers are described often. */
const known = new WeakMap<McpServerConfig, boolean>();

/**
 * Where a server without a `cwd` of its own works: in a folder of its own, so that what it writes lies nowhere else. One
 * whose command or arguments name something in the project works there, as its entry is written for that.
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

/** Two names never share one, whatever signs are in them. */
function folderName(name: string): string {
  const readable = name.replace(/[^\w-]+/g, "_").slice(0, 40);
  if (readable === name) return name;
  return `${readable}-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
}
