import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./build.mjs";
import { run } from "./run.mjs";

// 1,000 kills in random conversations and each fault point, where `npm test` makes 20; a number after `--` is another number.
const root = fileURLToPath(new URL("..", import.meta.url));
const seed = process.env.SEED ?? String(Math.floor(Math.random() * 1_000_000));
const env = { ...process.env, KILLS: process.argv[2] ?? "1000", SEED: seed };
console.log(`Seed ${seed}: SEED=${seed} npm run soak makes the same conversations again.`);
await ensureBuilt(root, process.execPath, ".next-test");
await ensureBuilt(root, process.execPath, ".next-faults", { faults: true });
const playwright = join(root, "node_modules", "@playwright/test", "cli.js");
const { code } = await run(
  process.execPath,
  [playwright, "test", "--project=http", "server/chaos", "server/fault-points"],
  { cwd: root, env, show: true },
);
process.exit(code);
