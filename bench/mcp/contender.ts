import { connect, textOf } from "@/bench/loop/connect";
import type { McpAddress } from "@/bench/loop/tasks";
import { serveParent } from "@/bench/support/child";
import { openPool } from "@/bench/support/open-pool";
import { openRuns } from "@/bench/support/open-runs";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall } from "@/lib/protocol/message";

/** Who calls `echo` in this process: the bare client, a tool box of the pool, or a run of the application with all that it puts round it. */
export type ContenderName = "bare" | "pool" | "run";

const args = { text: "hello", message: "hello" };

/** Calls once and returns the answer; one `Caller` for a round. */
type Caller = () => Promise<string>;

async function openBare(mcp: McpAddress): Promise<() => Promise<Caller>> {
  const client = await connect(mcp);
  return async () => async () => textOf((await client.callTool({ name: "echo", arguments: args })).content);
}

async function openBox(mcp: McpAddress): Promise<() => Promise<Caller>> {
  const pool = await openPool({ bench: mcp });
  const { signal } = new AbortController();
  return async () => {
    const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
    return async () => {
      const result = await box.call(nextCall(), { signal, emit: async () => {} });
      return "content" in result ? textOf(result.content) : "";
    };
  };
}

async function openRun(mcp: McpAddress): Promise<() => Promise<Caller>> {
  const open = openRuns(await openPool({ bench: mcp }), noModel);
  const { signal } = new AbortController();
  return async () => {
    const { tools, write } = await open();
    return async () => {
      const result = await tools.call(nextCall(), { signal, emit: write });
      if (!("content" in result)) return "";
      await write({ type: "tool_result", result, durationMs: 0 });
      return textOf(result.content);
    };
  };
}

let calls = 0;
const nextCall = (): ToolCall => ({
  type: "tool_call",
  id: `call-${++calls}` as ToolCallId,
  name: "bench__echo",
  args,
});

/** Nobody asks it. */
const noModel = "http://127.0.0.1:9/v1";

const openers = { bare: openBare, pool: openBox, run: openRun };
const [name, json = ""] = process.argv.slice(2) as [ContenderName, string];
const open = await openers[name](JSON.parse(json) as McpAddress);

/** The ms that each of so many calls takes, one after the other. */
serveParent("ready", async (count: number) => {
  const call = await open();
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const before = performance.now();
    const text = await call();
    times.push(performance.now() - before);
    if (!text.includes("hello")) throw new Error(`echo answered ${text.slice(0, 200)}`);
  }
  return times;
});
