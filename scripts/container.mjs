// The start of a container: what a person may change is put under DATA_DIR once, as the image itself is read-only.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const {
  DATA_DIR: dataDir = "/data",
  MCP_CONFIG: mcpConfig = "/data/mcp-servers.json",
  AGENTS_DIR: agentsDir = "/data/agents",
} = process.env;
const sandbox = join(dataDir, "sandbox");

mkdirSync(dataDir, { recursive: true, mode: 0o700 });
// After a restore that was cut short nothing may look like data; the start below says so.
if (!existsSync(join(dataDir, "meguri.restoring"))) {
  if (!existsSync(mcpConfig)) {
    const seed = readFileSync(join(root, "mcp-servers.json"), "utf8");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file.
    writeFileSync(mcpConfig, seed.replace('"sandbox"', '"${dataFolder}/sandbox"'), { mode: 0o600 });
    if (!existsSync(sandbox)) cpSync(join(root, "sandbox"), sandbox, { recursive: true });
  }
  if (!existsSync(agentsDir)) cpSync(join(root, "agents"), agentsDir, { recursive: true });
}
// For MCP servers that keep something in their home, as npx and uvx do.
process.env.HOME = join(dataDir, "home");
mkdirSync(process.env.HOME, { recursive: true, mode: 0o700 });

await import("./serve.mjs");
