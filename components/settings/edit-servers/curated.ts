import type { McpServerConfig } from "@/lib/protocol/mcp";

/** A server that comes with this application and needs no key. */
export interface CuratedServer {
  name: "filesystem" | "memory" | "sequential-thinking" | "everything" | "budget-allocator" | "map";
  config: McpServerConfig;
}

const script = (name: string) => `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;

/** They are installed already: nothing is fetched when they start. */
export const curatedServers: readonly CuratedServer[] = [
  { name: "filesystem", config: { command: "node", args: [script("filesystem"), "sandbox"] } },
  {
    name: "memory",
    config: {
      command: "node",
      args: [script("memory")],
      env: { MEMORY_FILE_PATH: `\${dataFolder}/memory.jsonl` },
      scope: "user",
    },
  },
  { name: "sequential-thinking", config: { command: "node", args: [script("sequential-thinking")] } },
  { name: "everything", config: { command: "node", args: [script("everything"), "stdio"] } },
  { name: "budget-allocator", config: { command: "node", args: [script("budget-allocator"), "--stdio"] } },
  { name: "map", config: { command: "node", args: [script("map"), "--stdio"] } },
];
