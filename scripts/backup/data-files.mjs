import { opendir } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { isSafeName } from "./format.mjs";

/**
 * In DATA_DIR: what a process has for itself, copies of an older version, the databases, which are copied otherwise, and in a
 * container what package managers fetch again, which without its links would not run.
 */
const notKept =
  /^(home\/(\.npm|\.cache|\.local\/share\/uv)($|\/)|meguri\.(db|lock|pid|server|deleting|restoring)|run-log\.db|imports($|\/)|lost\+found($|\/)|attachments\/.*\.part$|secrets\.json\.part$)/;

/**
 * Each file that belongs into a backup, as `{ name, path }`, with names as in DATA_DIR; what lies elsewhere by its
 * variable is named as if it lay there. `skip` is told of what is neither file nor folder, or cannot be named everywhere.
 */
export async function* listFiles(places, { withSecret, skip }) {
  const { dataDir, mcpConfig, agentsDir, skillsDir } = places;
  const isElsewhere = (path) => relative(dataDir, path).split(sep)[0] === "..";
  const files = isElsewhere(mcpConfig)
    ? [
        { path: mcpConfig, name: "mcp-servers.json" },
        { path: `${mcpConfig.replace(/\.json$/, "")}.lock.json`, name: "mcp-servers.lock.json" },
      ]
    : [];
  const folders = [
    { path: agentsDir, name: "agents" },
    { path: skillsDir, name: "skills" },
  ].filter(({ path }) => isElsewhere(path));
  yield* files;
  for (const folder of folders) yield* filesIn(folder.path, `${folder.name}/`, skip);
  const isReplaced = (name) =>
    files.some((file) => file.name === name) || folders.some((folder) => name.startsWith(`${folder.name}/`));
  for await (const file of filesIn(dataDir, "", skip))
    if (!isReplaced(file.name) && (withSecret || file.name !== "secrets.json")) yield file;
}

async function* filesIn(folder, prefix, skip) {
  const entries = await opendir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  for await (const entry of entries) {
    const name = `${prefix}${entry.name}`;
    const path = join(folder, entry.name);
    if (notKept.test(name)) continue;
    if (!isSafeName(name) || !(entry.isFile() || entry.isDirectory())) skip(path);
    else if (entry.isDirectory()) yield* filesIn(path, `${name}/`, skip);
    else yield { name, path };
  }
}

/** Pictures and documents are packed already; ids tell nothing of their content. */
export const isPacked = (name) => name.startsWith("attachments/") && !basename(name).endsWith(".txt");
