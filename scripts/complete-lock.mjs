import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Adds the optional platform packages that a registry did not offer when the lock was written.
 *
 * npm leaves such packages out of package-lock.json, and `npm ci` then refuses the lock ("Missing: … from lock file"),
 * although this machine would never install them. Run it after `npm install`: `node scripts/complete-lock.mjs`.
 */
export function completeLock(lock) {
  for (const { name, version, dev } of missingOptional(lock)) {
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(dev ? { dev: true } : {}),
      optional: true,
    };
  }
  for (const entry of Object.values(lock.packages)) delete entry.resolved;
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en")),
  );
  return lock;
}

/** Optional dependencies that have no entry: `[{ name, version, dev }]`. */
export function missingOptional(lock) {
  const missing = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isLocked(lock, path, name)) continue;
      missing.push({ name, version: range.replace(/^[\^~]/, ""), dev: entry.dev === true });
    }
  }
  return missing;
}

/** Node's own lookup: beside the package, then in each node_modules above it. */
function isLocked(lock, path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    if (`${at === "" ? "" : `${at}/`}node_modules/${name}` in lock.packages) return true;
    if (at === "") return false;
  }
}

const OS = {
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  linux: "linux",
  openharmony: "openharmony",
  wasi: "wasi",
  win32: "win32",
};
const CPU = ["arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
const LIBC = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" };

/** `@next/swc-linux-arm64-musl` -> `{ os: ["linux"], cpu: ["arm64"], libc: ["musl"] }`. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const cpu = words.find((word) => CPU.includes(word));
  const os = words.map((word) => OS[word]).find((word) => word !== undefined);
  const libc =
    os === "linux" ? words.map((word) => LIBC[word]).find((word) => word !== undefined) : undefined;
  if (cpu === undefined || os === undefined)
    throw new Error(`Cannot read the platform from the name ${name}.`);
  if (cpu === "wasm32") return { cpu: [cpu] };
  return { cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }), os: [os] };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL("../package-lock.json", import.meta.url);
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const missing = missingOptional(lock).length;
  writeFileSync(file, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
  console.log(`package-lock.json: ${missing} optional platform packages added.`);
}
