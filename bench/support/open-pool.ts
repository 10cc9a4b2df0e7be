import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMcpPool } from "@/lib/mcp/pool";
import type { McpPool } from "@/lib/mcp/types";
import type { McpServerConfig } from "@/lib/protocol/mcp";

/** A pool of these servers on a file of its own; `needed` are ready when it resolves (default: all). */
export async function openPool(
  mcpServers: Record<string, McpServerConfig>,
  needed: readonly string[] = Object.keys(mcpServers),
): Promise<McpPool> {
  const folder = await mkdtemp(join(tmpdir(), "meguri-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const configPath = join(folder, "mcp.json");
  await writeFile(configPath, JSON.stringify({ mcpServers }));
  const pool = createMcpPool({
    configPath,
    root: folder,
    approvals: { all: async () => new Map(), set: async () => {}, delete: async () => {} },
    trustFile: true,
    env: { PATH: process.env.PATH },
    reservedEnv: [],
    privateHosts: [],
    version: "1.0.0",
    log: () => {},
  });
  await pool.start();
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => needed.every((name) => pool.server(name)?.status === "ready") && resolve();
  const stop = pool.onChange(look);
  look();
  await promise;
  stop();
  return pool;
}
