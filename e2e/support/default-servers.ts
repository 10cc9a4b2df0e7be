import { join } from "node:path";

const packages = join(import.meta.dirname, "..", "..", "node_modules", "@modelcontextprotocol");

/** The three servers that Meguri comes with, on files of the test instead of the project's. */
export function defaultServers(home: string) {
  const server = (name: string) => join(packages, `server-${name}`, "dist", "index.js");
  return {
    mcpServers: {
      filesystem: { command: "node", args: [server("filesystem"), join(home, "sandbox")] },
      memory: {
        command: "node",
        args: [server("memory")],
        env: { MEMORY_FILE_PATH: join(home, "memory.jsonl") },
      },
      "sequential-thinking": { command: "node", args: [server("sequential-thinking")] },
    },
  };
}
