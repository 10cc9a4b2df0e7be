import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { run, withProgress } from "./run.mjs";
import { SetupError } from "./setup-error.mjs";

const OPTIONS = ["--include=dev", "--include=optional", "--ignore-scripts", "--no-audit", "--no-fund"];

/** Installs the packages when node_modules is not what package-lock.json says. */
export async function ensureInstalled(root) {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  if (readStamp(root) === stampOf(root, lock)) return;
  if (!isInstalled(root, JSON.parse(lock))) {
    await withProgress("Installing packages (about half a minute, only after a change)", () => install(root));
  }
  writeFileSync(stampFile(root), stampOf(root, lock));
}

async function install(root) {
  let result = await runNpm(root, ["ci", ...OPTIONS]);
  // npm calls a lock "out of sync" when its registry lacks packages for other platforms; those are never installed.
  if (result.code !== 0 && /EUSAGE|EBUSY|EPERM/.test(result.output)) {
    result = await runNpm(root, ["install", "--no-save", ...OPTIONS]);
  }
  if (result.code === 0) return;
  const reason = result.output.trim().split("\n").slice(-15).join("\n");
  throw new SetupError(
    `${reason}\n\nThe packages could not be installed: check the network and npm's registry, then try again.`,
  );
}

/** Under npm its own path is known; `npm` from PATH would need a shell on Windows. */
function runNpm(root, args) {
  const npm = process.env.npm_execpath ?? "";
  if (basename(npm) === "npm-cli.js") return run(process.execPath, [npm, ...args], { cwd: root });
  return run("npm", args, { cwd: root, shell: process.platform === "win32" });
}

const stampFile = (root) => join(root, "node_modules", ".meguri-stamp");
const hiddenLockFile = (root) => join(root, "node_modules", ".package-lock.json");

function readStamp(root) {
  return existsSync(stampFile(root)) ? readFileSync(stampFile(root), "utf8") : null;
}

/** Changes with the lock and with every npm command that touches node_modules: npm then rewrites its hidden lock. */
function stampOf(root, lock) {
  const hidden = statSync(hiddenLockFile(root), { throwIfNoEntry: false });
  return createHash("sha256")
    .update(`${lock} ${hidden?.mtimeMs} ${process.platform} ${process.arch}`)
    .digest("hex");
}

/**
 * Whether npm's record of node_modules holds the packages of the lock in their versions.
 *
 * Packages for another platform are not expected, and neither are those that the registry did not have when the
 * lock was written (they have no integrity hash).
 */
export function isInstalled(root, lock) {
  if (!existsSync(hiddenLockFile(root))) return false;
  const { packages } = JSON.parse(readFileSync(hiddenLockFile(root), "utf8"));
  if (Object.keys(packages).some((path) => !(path in lock.packages))) return false;
  return Object.entries(lock.packages).every(([path, entry]) => {
    const installed = packages[path]?.version;
    return path === "" || installed === entry.version || (installed === undefined && isDispensable(entry));
  });
}

function isDispensable({ optional, devOptional, integrity, os, cpu, libc }) {
  if (!optional && !devOptional) return false;
  const isForHere = fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, libcOfHere());
  return !isForHere || integrity === undefined || (os === undefined && cpu === undefined);
}

/** Both `"linux"` and `["linux"]` occur; `["!win32"]` occurs in theory. */
function fits(wanted, here) {
  if (wanted === undefined) return true;
  const list = [wanted].flat();
  return list.includes(here) || (list.some((name) => name.startsWith("!")) && !list.includes(`!${here}`));
}

function libcOfHere() {
  if (process.platform !== "linux") return undefined;
  return /** @type {any} */ (process.report.getReport()).header.glibcVersionRuntime === undefined
    ? "musl"
    : "glibc";
}
