import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Best first. */
export const encodings = [
  { name: "br", ending: ".br", pack: packBrotli },
  { name: "gzip", ending: ".gz", pack: (bytes) => promisify(gzip)(bytes, { level: 9 }) },
];
/** Bytes: what is smaller is no less in another form. */
const smallest = 1_024;

export const folderOf = (dir, distDir) => join(dir, distDir, "static");

/** Chromium compiles all functions of such a script while it comes, in another thread; to others it is a comment. */
const compileEarly = "//# allFunctionsCalledOnLoad\n";

/**
 * The scripts with which every page begins, React and Next.js, are run at once and nearly whole: compiled one function at a
 * time, as they are called, they would take the thread on which the page is drawn.
 */
async function markFirstScripts(dir, distDir) {
  const manifest = await readFile(join(dir, distDir, "build-manifest.json"), "utf8");
  for (const name of JSON.parse(manifest).rootMainFiles) {
    const path = join(dir, distDir, name);
    const script = await readFile(path, "utf8");
    if (!script.startsWith(compileEarly)) await writeFile(path, compileEarly + script);
  }
}

/**
 * Writes beside each script and style of a build what goes over the wire in its place. Without a library, as all that the
 * first start needs before it has installed any.
 */
export async function packFiles(dir, distDir) {
  await markFirstScripts(dir, distDir);
  const folder = folderOf(dir, distDir);
  const names = await readdir(folder, { recursive: true });
  const pack = async (name) => {
    const bytes = await readFile(join(folder, name));
    if (bytes.length < smallest) return;
    for (const { ending, pack } of encodings) await writeFile(join(folder, name + ending), await pack(bytes));
  };
  await Promise.all(names.filter((name) => /\.(js|css)$/.test(name)).map(pack));
}

/** A step below the best: two thirds less of the time that a start on somebody's machine waits, for 2 % more bytes. */
function packBrotli(bytes) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 10,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
}
