import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Puts what a person may change under the data folder, once each: servers, their folder, agents. The program's own folder may be read-only. */
export function seedData({ dataDir, mcpConfig, agentsDir }) {
  const sandbox = join(dataDir, "sandbox");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // After a restore that was cut short nothing may look like data; the start says so.
  if (existsSync(join(dataDir, "meguri.restoring"))) return;
  if (!existsSync(mcpConfig)) {
    const seed = readFileSync(join(root, "mcp-servers.json"), "utf8");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file.
    writeFileSync(mcpConfig, seed.replace('"sandbox"', '"${dataFolder}/sandbox"'), { mode: 0o600 });
    if (!existsSync(sandbox)) cpSync(join(root, "sandbox"), sandbox, { recursive: true });
  }
  if (!existsSync(agentsDir)) cpSync(join(root, "agents"), agentsDir, { recursive: true });
}
