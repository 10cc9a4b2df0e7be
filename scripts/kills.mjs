import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";

// 200 random kills of each kind, where `npm test` makes a few; a number after `--` is another number.
const root = fileURLToPath(new URL("..", import.meta.url));
const env = { ...process.env, KILLS: process.argv[2] ?? "200" };
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { code } = await run(
  process.execPath,
  [vitest, "run", "lib/store/kills", "lib/store/crash", "lib/server/transfer/import-kills"],
  {
    cwd: root,
    env,
    show: true,
  },
);
process.exit(code);
