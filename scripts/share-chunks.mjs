import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** Bytes: what is smaller costs less than a second file to look up. */
const smallest = 4_096;
const sourceMap = /\n\/\/# sourceMappingURL=[^\n]*\s*$/;

/**
 * Lets the server's chunks that are the same load one text. Turbopack writes what routes have in common once for each of them,
 * under a name of its own, and the server would keep every one of them in memory as long as it runs.
 */
export async function shareChunks(dir, distDir) {
  const folder = join(dir, distDir, "server", "chunks");
  const firstOf = new Map();
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (!name.endsWith(".js")) continue;
    const path = join(folder, name);
    const text = (await readFile(path, "utf8")).replace(sourceMap, "");
    if (text.length < smallest) continue;
    const key = createHash("sha256").update(text).digest("hex");
    const first = firstOf.get(key);
    if (first === undefined) firstOf.set(key, path);
    else await loadInstead(path, first);
  }
}

async function loadInstead(path, first) {
  const target = relative(dirname(path), first).split(sep).join("/");
  const request = target.startsWith(".") ? target : `./${target}`;
  await writeFile(path, `module.exports=require(${JSON.stringify(request)});\n`);
  await rm(`${path}.map`, { force: true });
}
