import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { packFiles } from "./pack-files.mjs";
import { run, withProgress } from "./run.mjs";
import { SetupError } from "./setup-error.mjs";
import { shareChunks } from "./share-chunks.mjs";

/** Everything `next build` reads. Tests are left out: they change more often than what they test. */
const SOURCE_FOLDERS = ["app", "components", "lib", "public"];
const SOURCE_FILES = [
  "instrumentation.ts",
  "next.config.ts",
  "package-lock.json",
  "package.json",
  "postcss.config.mjs",
  "proxy.ts",
  // They change what a build is made into.
  "scripts/pack-files.mjs",
  "scripts/share-chunks.mjs",
  "tsconfig.base.json",
  "tsconfig.json",
];
const NOT_BUILT = /(\.test\.tsx?$)|(\/testing\/)/;

/**
 * Builds the application when its sources are not those of the last build in the dist folder. With `faults` it has the fault
 * points of `lib/faults`, for tests alone.
 */
export async function ensureBuilt(
  root,
  node,
  distDir = process.env.NEXT_DIST_DIR || ".next",
  { faults = false } = {},
) {
  const stampFile = join(root, distDir, "meguri-build");
  const hash = hashSources(root);
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === hash) return;
  await refuseWhileServed(root, distDir);
  await withProgress("Building the application (about 20 seconds, only after a change)", async () => {
    rmSync(stampFile, { force: true });
    const types = faults ? keep(join(root, "next-env.d.ts")) : undefined;
    await build(root, node, distDir, faults);
    types?.restore();
    await Promise.all([packFiles(root, distDir), shareChunks(root, distDir)]);
    writeFileSync(stampFile, hash);
  });
}

async function build(root, node, distDir, faults) {
  const next = join(root, "node_modules", "next", "dist", "bin", "next");
  const env = {
    ...process.env,
    NODE_ENV: /** @type {const} */ ("production"),
    NEXT_DIST_DIR: distDir,
    MEGURI_FAULTS: faults ? "1" : "",
    NEXT_TELEMETRY_DISABLED: "1",
  };
  const { code, output } = await run(node, [next, "build"], { cwd: root, env });
  if (code !== 0)
    throw new SetupError(
      `${stripVTControlCharacters(output).trim()}\n\nThe application could not be built: see above.`,
    );
}

/** A build without pages leaves types behind that know none. */
function keep(path) {
  const content = existsSync(path) ? readFileSync(path) : undefined;
  return { restore: () => content && writeFileSync(path, content) };
}

/** SHA-256 over the names and contents of all sources. */
export function hashSources(root) {
  const hash = createHash("sha256");
  const add = (path) =>
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  for (const folder of SOURCE_FOLDERS) {
    for (const path of filesIn(root, folder)) if (!NOT_BUILT.test(path)) add(path);
  }
  for (const path of SOURCE_FILES) if (existsSync(join(root, path))) add(path);
  return hash.digest("hex");
}

function filesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesIn(root, path) : [path];
    })
    .sort();
}

/** A build under a running server would take the files away that its pages still load. */
async function refuseWhileServed(root, distDir) {
  const file = join(root, distDir, "meguri-server.json");
  if (!existsSync(file)) return;
  const { pid, host, port } = JSON.parse(readFileSync(file, "utf8"));
  if (!isAlive(pid) || !(await isListening(host, port))) return;
  throw new SetupError(
    `The sources changed, but Meguri still runs from the last build (process ${pid}, port ${port}): stop it and start again.`,
  );
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isListening(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
    socket.once("timeout", () => settle(false));
  });
}

// As a program: the build in the folder that is named, with "faults" behind it the one that has fault points.
if (import.meta.main)
  await ensureBuilt(join(import.meta.dirname, ".."), process.execPath, process.argv[2], {
    faults: process.argv[3] === "faults",
  });
