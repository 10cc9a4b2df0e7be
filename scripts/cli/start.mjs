import { findRunning } from "../running-file.mjs";
import { seedData } from "../seed-data.mjs";
import { serveApplication } from "../serve-application.mjs";
import { mayOpen, openBrowser } from "./open-browser.mjs";

/** Serves the data folder until it is told to end, or points to the Meguri that does so already. */
export async function start({ values, folder: { dataDir, envFile } }) {
  // Started by another command of ours: we end when it does, however that is.
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  const opens = !values["no-open"] && mayOpen(process.platform, process.env, process.stdout.isTTY);
  const running = await findRunning(dataDir);
  if (running) {
    console.log(`Meguri runs already: ${running.url}`);
    // Whoever has started us waits for an address of its own.
    if (process.send) process.exitCode = 1;
    else if (opens) await openBrowser(running.url);
    return;
  }
  if (values.port !== undefined) process.env.PORT = values.port;
  seedData({ dataDir, mcpConfig: process.env.MCP_CONFIG, agentsDir: process.env.AGENTS_DIR });
  await serveApplication({
    envFile,
    onReady: ({ url }) => {
      process.send?.("ready");
      if (opens) void openBrowser(url);
    },
  });
}
