import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./build.mjs";
import { run } from "./run.mjs";

// 1,000 kills in random conversations and each fault point, where `npm test` makes 20; a number after `--` is another number. With
// `cluster` before it, 200 times one of two instances is killed, paused or parted from the database.
const root = fileURLToPath(new URL("..", import.meta.url));
const seed = process.env.SEED ?? String(Math.floor(Math.random() * 1_000_000));
const isCluster = process.argv[2] === "cluster";
const kills = process.argv[isCluster ? 3 : 2] ?? (isCluster ? "200" : "1000");
const env = { ...process.env, KILLS: kills, SEED: seed, ...(isCluster && { SOAK: "cluster" }) };
const again = ["npm run soak", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(
  " ",
);
console.log(`Seed ${seed}: SEED=${seed} ${again} makes the same conversations again.`);
await ensureBuilt(root, process.execPath, ".next-test");
if (!isCluster) await ensureBuilt(root, process.execPath, ".next-faults", { faults: true });
const playwright = join(root, "node_modules", "@playwright/test", "cli.js");
const { code } = await run(
  process.execPath,
  [
    ...[playwright, "test", "--project=http"],
    ...(isCluster ? ["server/cluster-chaos"] : ["server/chaos", "server/fault-points"]),
  ],
  { cwd: root, env, show: true },
);
process.exit(code);
