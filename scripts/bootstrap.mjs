// Runs before everything else, on whatever Node the machine has (20.9 or newer): plain JavaScript, no dependencies.
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./build.mjs";
import { chooseNode } from "./choose-node.mjs";
import { ensureInstalled } from "./install.mjs";
import { SetupError } from "./setup-error.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.env.NEXT_TELEMETRY_DISABLED = "1";

try {
  await ensureInstalled(root);
  const node = chooseNode(root);
  if (process.argv.includes("--build")) await ensureBuilt(root, node);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`\n${error.message}`);
  process.exit(1);
}
