import { join } from "node:path";
import type { McpServerConfig } from "@/lib/protocol/mcp";

const packages = join(import.meta.dirname, "..", "..", "node_modules", "@modelcontextprotocol");

/** The three servers that Meguri comes with, on files of the test instead of the project's. */
export function defaultServers(home: string, more: Record<string, McpServerConfig> = {}) {
  return {
    mcpServers: {
      filesystem: { command: "node", args: [serverScript("filesystem"), join(home, "sandbox")] },
      memory: {
        command: "node",
        args: [serverScript("memory")],
        env: { MEMORY_FILE_PATH: join(home, "memory.jsonl") },
      },
      "sequential-thinking": { command: "node", args: [serverScript("sequential-thinking")] },
      ...more,
    },
  };
}

/** For applications whose tests are not about tools: the three are most of what a start costs. */
export const noServers = { mcpConfig: { mcpServers: {} } };

/** What `node` runs for one of the reference servers. */
export const serverScript = (name: string): string => join(packages, `server-${name}`, "dist", "index.js");
