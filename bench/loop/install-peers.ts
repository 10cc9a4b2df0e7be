import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..", "peers");
const lock = join(folder, "package-lock.json");
/** Written by npm at the end of an installation. */
const stamp = join(folder, "node_modules", ".package-lock.json");

/** Installs the peers, which only this benchmark needs, when they are not there in the versions of their lock file. */
export async function installPeers(): Promise<void> {
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log("Installing the peers (half a gigabyte, a minute or two) …");
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error('Start the benchmarks with "npm run bench".');
  const child = spawn(process.execPath, [npm, "ci"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, npm_config_loglevel: "error" },
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("The peers could not be installed: see above.");
}
