import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { CallContext } from "@/lib/agent/ports";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { McpPool, PoolOptions, PoolTuning } from "@/lib/mcp/mcp-pool";
import { createMcpPool } from "@/lib/mcp/pool";
import type { StepChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { McpServerConfig, McpServerItem } from "@/lib/protocol/mcp";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";

export const root = resolve(import.meta.dirname, "../../..");

/** An entry for `fixture-server.mjs`. */
export function fixture(way: string, ...more: string[]): McpServerConfig {
  return { command: "node", args: [join(import.meta.dirname, "fixture-server.mjs"), way, ...more] };
}

/** An entry for `faulty-server.mjs`. */
export function faulty(way: string, ...more: string[]): McpServerConfig {
  return { command: "node", args: [join(import.meta.dirname, "faulty-server.mjs"), way, ...more] };
}

/** An entry for `common-servers.mjs`. */
export function common(way: string, ...more: string[]): McpServerConfig {
  return { command: "node", args: [join(import.meta.dirname, "common-servers.mjs"), way, ...more] };
}

/** An entry for a real server from npm. */
export function npmServer(name: string, ...args: string[]): McpServerConfig {
  return { command: "node", args: [`node_modules/@modelcontextprotocol/${name}/dist/index.js`, ...args] };
}

export interface TestPool {
  pool: McpPool;
  folder: string;
  configPath: string;
  approvals: Map<string, string>;
  warnings: string[];
  /** Resolves as soon as the condition holds after a change. */
  until(condition: (pool: McpPool) => boolean, what?: string): Promise<void>;
  settled(name: string): Promise<McpServerItem>;
  ready(name: string): Promise<McpServerItem>;
  /** Calls through a tool box as a run does, and records what was emitted. */
  run(
    name: string,
    args?: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<{ result: ToolResult; chunks: StepChunk[] }>;
  close(): Promise<void>;
}

/** A pool with its own file, which is trusted by default. */
export async function openPool(
  servers: Record<string, McpServerConfig>,
  options: Partial<PoolOptions> & {
    tuning?: PoolTuning;
    folder?: string;
    approved?: Map<string, string>;
  } = {},
): Promise<TestPool> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "mcp-pool-")));
  const configPath = join(folder, "mcp.json");
  if (!options.folder) await writeFile(configPath, JSON.stringify({ mcpServers: servers }));
  const approvals = options.approved ?? new Map<string, string>();
  const warnings: string[] = [];
  const { tuning, folder: _, approved: __, ...rest } = options;
  const pool = createMcpPool(
    {
      ...{
        configPath,
        root,
        dataDir: folder,
        trustFile: true,
        reservedEnv: [],
        privateHosts: [],
        version: "0.0.0",
      },
      env: { PATH: process.env.PATH, HOME: folder },
      log: (_level, message) => warnings.push(message),
      ...rest,
      approvals: {
        all: async () => new Map(approvals),
        set: async (name, hash) => void approvals.set(name, hash),
        delete: async (name) => void approvals.delete(name),
      },
    },
    { backoffMs: 20, ...tuning },
  );
  const inFlight = new InFlightCalls();
  let calls = 0;
  await pool.start();

  const until = (condition: (pool: McpPool) => boolean, what = "the condition") =>
    new Promise<void>((done, fail) => {
      const timer = setTimeout(
        () => finish(new Error(`Waited in vain for ${what}: ${summary(pool)}`)),
        15_000,
      );
      const stop = pool.onChange(() => condition(pool) && finish());
      const finish = (error?: Error) => {
        clearTimeout(timer);
        stop();
        if (error) fail(error);
        else done();
      };
      if (condition(pool)) finish();
    });
  const settled = async (name: string) => {
    await until(() => pool.server(name)?.status !== "connecting", `${name} to settle`);
    return pool.server(name) as McpServerItem;
  };
  return {
    ...{ pool, folder, configPath, approvals, warnings, until, settled },
    ready: async (name) => {
      await until(() => pool.server(name)?.status === "ready", `${name} to be ready`);
      return pool.server(name) as McpServerItem;
    },
    run: async (name, args = {}, signal = new AbortController().signal) => {
      const chunks: StepChunk[] = [];
      const context: CallContext = { signal, emit: async (chunk) => void chunks.push(chunk) };
      const box = pool.toolBox({ open: new Map(), inFlight });
      const call: ToolCall = { type: "tool_call", id: `call-${++calls}` as ToolCallId, name, args };
      return { result: (await box.call(call, context)) as ToolResult, chunks };
    },
    close: async () => {
      await pool.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const textOf = (result: ToolResult) =>
  result.content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("");

/** Whether there is a process with this id. */
export const isRunning = (pid: number | null | undefined): boolean => {
  try {
    process.kill(pid ?? 0, 0);
    return pid != null;
  } catch {
    return false;
  }
};

/** Processes whose command line contains the text, in any namespace. */
export function processesWith(text: string): number[] {
  return execFileSync("ps", ["-axo", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(text))
    .map((line) => Number.parseInt(line, 10));
}

const summary = (pool: McpPool) =>
  pool
    .list()
    .items.map(({ name, status, lastError }) => `${name} is ${status} (${lastError?.message ?? "no error"})`)
    .join("; ");
