import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { SetupError } from "./setup-error.mjs";

/** The oldest Node with `node:sqlite` without a flag. */
const OLDEST = [22, 13];

/**
 * The Node that runs Meguri, as a path: the pinned one in node_modules where it runs, else the machine's own.
 *
 * npm puts node_modules/.bin first on PATH, so what is called `node` there runs every script after this one. npm 10
 * leaves the pinned Node out of it (it cleans up after the packages for other platforms, whose file has the same
 * name), and one that cannot run here (musl, an emulated machine) must not stay in it.
 */
export function chooseNode(root) {
  const pinned = pinnedNode(root);
  if (pinned !== null && runs(pinned)) {
    putOnPath(root, pinned);
    return pinned;
  }
  takeOffPath(root);
  if (isNewEnough(process.versions.node)) return process.execPath;
  throw new SetupError(
    `Meguri needs Node ${OLDEST.join(".")} or newer (best is 24), this is ${process.version}, and the Node 24 that ` +
      `comes with the packages cannot run on ${process.platform}-${process.arch}: install Node 24 from ` +
      "https://nodejs.org and start again.",
  );
}

function putOnPath(root, pinned) {
  const link = join(root, "node_modules", ".bin", "node");
  if (process.platform === "win32") {
    if (!existsSync(`${link}.cmd`)) writeFileSync(`${link}.cmd`, `@"${pinned}" %*\r\n`);
    return;
  }
  if (existsSync(link) && realpathSync(link) === realpathSync(pinned)) return;
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), pinned), link);
}

function takeOffPath(root) {
  for (const name of ["node", "node.cmd", "node.ps1"]) {
    rmSync(join(root, "node_modules", ".bin", name), { force: true });
  }
}

export function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** npm installs only the package whose `os` and `cpu` fit. */
function pinnedNode(root) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const file = process.platform === "win32" ? "node.exe" : "node";
  const paths = Object.keys(optionalDependencies)
    .filter((name) => name.startsWith("node-"))
    .map((name) => join(root, "node_modules", name, "bin", file));
  return paths.find((path) => existsSync(path)) ?? null;
}

function runs(node) {
  if (realpathSync(node) === realpathSync(process.execPath)) return true;
  try {
    execFileSync(node, ["--version"], { stdio: "ignore", timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}
