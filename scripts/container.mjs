// The start of a container: what a person may change is put under DATA_DIR once, as the image itself is read-only.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { seedData } from "./seed-data.mjs";

const {
  DATA_DIR: dataDir = "/data",
  MCP_CONFIG: mcpConfig = "/data/mcp-servers.json",
  AGENTS_DIR: agentsDir = "/data/agents",
} = process.env;

seedData({ dataDir, mcpConfig, agentsDir });
// For MCP servers that keep something in their home, as npx and uvx do.
process.env.HOME = join(dataDir, "home");
mkdirSync(process.env.HOME, { recursive: true, mode: 0o700 });

await import("./serve.mjs");
