import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpPool, PoolTuning } from "@/lib/mcp/mcp-pool";
import { createMcpPool } from "@/lib/mcp/pool";
import type { McpServerConfig } from "@/lib/protocol/mcp";

const openMs = 30_000;

/**
 * A pool of these servers on a file of its own; `needed` are ready when it resolves (default: all). Rejects when one of
 * them cannot be, or is not within 30 s.
 */
export async function openPool(
  mcpServers: Record<string, McpServerConfig>,
  needed: readonly string[] = Object.keys(mcpServers),
  tuning: PoolTuning = {},
): Promise<McpPool> {
  const folder = await mkdtemp(join(tmpdir(), "meguri-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const configPath = join(folder, "mcp.json");
  await writeFile(configPath, JSON.stringify({ mcpServers }));
  const options = {
    configPath,
    root: folder,
    approvals: { all: async () => new Map(), set: async () => {}, delete: async () => {} },
    trustFile: true,
    env: { PATH: process.env.PATH },
    reservedEnv: [],
    privateHosts: [],
    version: "1.0.0",
    log: () => {},
  };
  const pool = createMcpPool(options, tuning);
  await pool.start();
  try {
    await untilReady(pool, needed);
    return pool;
  } catch (cause) {
    await pool.close();
    throw cause;
  }
}

/** Rejects when one of them cannot be, or is not within 30 s. */
export async function untilReady(
  pool: Pick<McpPool, "server" | "onChange">,
  needed: readonly string[],
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = () => {
    const servers = needed.map((name) => ({ name, ...pool.server(name) }));
    const failed = servers.find(({ status }) => status !== "ready" && status !== "connecting");
    if (failed)
      reject(new Error(`${failed.name} is ${failed.status}: ${failed.lastError?.message ?? "no reason"}`));
    else if (servers.every(({ status }) => status === "ready")) resolve();
  };
  const timer = setTimeout(
    () => reject(new Error(`${needed} were not ready within ${openMs / 1000} s.`)),
    openMs,
  );
  const stop = pool.onChange(look);
  look();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
