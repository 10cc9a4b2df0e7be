// The package for npm: `npm run package`, or `node scripts/pack.mjs <dist folder> <folder for the tarball>`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stage } from "./pack/stage.mjs";
import { run } from "./run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [distDir = ".next", target = "."] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), "meguri-pack-"));
try {
  await stage(root, distDir, folder);
  const { code } = await run("npm", ["pack", "--silent", "--pack-destination", resolve(target)], {
    cwd: folder,
    show: true,
    shell: process.platform === "win32",
  });
  process.exitCode = code;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
