import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { McpPool, PoolOptions } from "@/lib/mcp/mcp-pool";
import { createMcpPool } from "@/lib/mcp/pool";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { type Instance, openInstance } from "@/lib/store/testing/open-instance";
import { template } from "@/lib/store/testing/postgres-setup";
import { createDatabase } from "@/lib/store/testing/temp-store";

export interface PoolOfInstance extends Instance {
  pool: McpPool;
  /** With its own mcp-servers.json, which is what the first one puts in. */
  folder: string;
  warnings: string[];
  /** Whose data it was told to delete. */
  removed: string[];
  start(): Promise<void>;
}

/** A database with the newest tables. */
export const newDatabase = (): Promise<string> => createDatabase(template);

/** The pool of one of several instances, which is not started yet; gone after the test. */
export function poolOn(
  url: string,
  servers: Record<string, McpServerConfig> | string = {},
  options: Partial<PoolOptions> = {},
): PoolOfInstance {
  const folder = mkdtempSync(join(tmpdir(), "meguri-shared-"));
  const configPath = join(folder, "mcp-servers.json");
  writeFileSync(configPath, typeof servers === "string" ? servers : JSON.stringify({ mcpServers: servers }));
  const instance = openInstance(url);
  const [warnings, removed]: [string[], string[]] = [[], []];
  const pool = createMcpPool({
    ...{ configPath, root: process.cwd(), dataDir: folder, trustFile: true, reservedEnv: [] },
    ...{ privateHosts: [], version: "0.0.0", env: { PATH: process.env.PATH, WAY: "plain" } },
    documents: { label: "PostgreSQL", ...instance.documents },
    approvals: instance.approvals,
    log: (_level, message) => void warnings.push(message),
    onRemoved: async (server) => void removed.push(server),
    ...options,
  });
  onTestFinished(async () => {
    await pool.close();
    await instance.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { ...instance, pool, folder, warnings, removed, start: () => pool.start() };
}

/** Two instances that have started one after the other, and their database. */
export async function twoPools(
  servers: Record<string, McpServerConfig>,
  [first, second]: [Partial<PoolOptions>, Partial<PoolOptions>] = [{}, {}],
): Promise<[PoolOfInstance, PoolOfInstance, string]> {
  const url = await newDatabase();
  const a = poolOn(url, servers, first);
  await a.start();
  const b = poolOn(url, {}, { trustFile: false, ...second });
  await b.start();
  return [a, b, url];
}

/** A local server that each instance may run; its tools are those of `WAY` in the environment of the instance. */
export const localServer: McpServerConfig = {
  command: "node",
  args: ["lib/mcp/testing/fixture-server.mjs", `\${env:WAY}`],
  perInstance: true,
};

/** A change of another instance comes after 2 s at most, and later on a machine that is busy. */
export const seen = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 15_000, interval: 50 });

export const statusOf = ({ pool }: PoolOfInstance, name: string) => pool.server(name)?.status;

export const ready = (instance: PoolOfInstance, name: string) =>
  vi.waitUntil(() => statusOf(instance, name) === "ready", { timeout: 15_000 });
