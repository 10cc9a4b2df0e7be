import { setTimeout as wait } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { messagesOf, runLoop } from "@/bench/loop/run-loop";
import { serveParent } from "@/bench/support/child";
import { openPool } from "@/bench/support/open-pool";
import { type OpenRun, openRuns } from "@/bench/support/open-runs";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { McpServerConfig } from "@/lib/protocol/mcp";

export type Servers = Record<string, McpServerConfig>;

/** A tool that is called while the runs go on; again and again if its calls come to an end, its server started again if that ends. */
export interface Nuisance {
  tool: string;
  args?: Record<string, unknown>;
}

/** Message to a process that holds a pool; see the answers below. */
export type Order =
  /** Ms until all servers (or the named ones) are ready; the pool before is closed. */
  | { do: "open"; servers: Servers; needed?: string[] }
  /** Ms for one bare client to connect and list the tools. */
  | { do: "connect bare"; url: string }
  /** Ms from the beginning of a run to its first token. */
  | { do: "start a run"; model: string }
  /** `Gaps` of runs that call nothing. */
  | { do: "gaps"; model: string; runs: number; tokens: number; everyMs: number; beside: Nuisance[] }
  /** MB that the process holds when it has come to rest. */
  | { do: "memory" };

export interface Gaps {
  /** Ms between the chunks. */
  gaps: number[];
  /** How many calls of the nuisances reached their server. */
  sent: number;
}

/** A server that a call has ended would be waited for longer than it floods. */
const backoffMs = 1;

let pool: McpPool | undefined;
/** Runs on that pool. */
let openRun: OpenRun | undefined;

serveParent("ready", (order: Order) => {
  switch (order.do) {
    case "open":
      return open(order.servers, order.needed);
    case "connect bare":
      return clockOf(() => connectBare(order.url));
    case "start a run":
      return run(order.model, "tokens 1").then(({ firstMs }) => firstMs);
    case "gaps":
      return gaps(order);
    case "memory":
      return memory();
  }
});

async function open(servers: Servers, needed?: string[]): Promise<number> {
  await pool?.close();
  openRun = undefined;
  return clockOf(async () => {
    pool = await openPool(servers, needed, { backoffMs });
  });
}

/** Finds out the wire as the pool does. */
async function connectBare(url: string): Promise<void> {
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.listTools();
  await client.close();
}

/** Runs as the application puts them together, on the pool that is open. */
function runsOn(model: string): OpenRun {
  if (!pool) throw new Error("No pool is open.");
  openRun ??= openRuns(pool, model);
  return openRun;
}

/** A run with all tools of the pool, until the model has said everything. */
async function run(model: string, question: string): Promise<{ firstMs: number; gaps: number[] }> {
  const open = runsOn(model);
  const begun = performance.now();
  const task = { question, history: [], maxTurns: 1 };
  const history = messagesOf(task, "echo");
  const live = await open({ history });
  const at: number[] = [];
  const write = async (chunk: Chunk) => {
    await live.write(chunk);
    if (chunk.type === "text") at.push(performance.now());
  };
  await runLoop(task, { ...live, write }, history);
  const [first = Number.NaN, ...later] = at;
  return { firstMs: first - begun, gaps: later.map((ms, index) => ms - (at[index] ?? ms)) };
}

async function gaps(order: Extract<Order, { do: "gaps" }>): Promise<Gaps> {
  const stop = new AbortController();
  const beside = order.beside.map((nuisance) => keepCalling(nuisance, runsOn(order.model), stop.signal));
  if (beside.length > 0) await wait(300); // until it is at it
  const question = `tokens ${order.tokens} ${order.everyMs}`;
  const runs = await Promise.all(Array.from({ length: order.runs }, () => run(order.model, question)));
  stop.abort();
  const sent = (await Promise.all(beside)).reduce((sum, count) => sum + count, 0);
  return { gaps: runs.flatMap((one) => one.gaps), sent };
}

async function keepCalling(
  { tool, args = {} }: Nuisance,
  open: OpenRun,
  signal: AbortSignal,
): Promise<number> {
  const [server = ""] = tool.split("__");
  let sent = 0;
  for (let count = 0; !signal.aborted; count++) {
    // One that ended too often is started by a person only.
    if (pool?.server(server)?.status === "failed") await pool.restart(server);
    const { tools, write } = await open();
    const call = { type: "tool_call" as const, id: `${tool}-${count}` as ToolCallId, name: tool, args };
    await write({ type: "tool_call", call });
    const result = await tools.call(call, { signal, emit: write });
    if ("status" in result) await write({ type: "tool_result", result, durationMs: 0 });
    // An error says that it was not run: its server was on its way back.
    if ("status" in result && result.status !== "error") sent++;
    await wait(50); // a server that ended with the call has to come back
  }
  return sent;
}

/** What garbage there is goes first. */
async function memory(): Promise<number> {
  for (let count = 0; count < 5; count++) {
    await wait(200);
    globalThis.gc?.();
  }
  return process.memoryUsage.rss() / 1024 / 1024;
}

async function clockOf(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
