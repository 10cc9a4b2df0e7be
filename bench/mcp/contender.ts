import { connect, textOf } from "@/bench/loop/connect";
import type { McpAddress } from "@/bench/loop/tasks";
import { serveParent } from "@/bench/support/child";
import { openPool } from "@/bench/support/open-pool";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { ToolCallId } from "@/lib/protocol/ids";

/** Who calls `echo` in this process: the bare client, or a tool box of the pool as runs have one. */
export type ContenderName = "bare" | "pool";

const args = { text: "hello", message: "hello" };

async function openBare(mcp: McpAddress): Promise<() => Promise<string>> {
  const client = await connect(mcp);
  return async () => textOf((await client.callTool({ name: "echo", arguments: args })).content);
}

async function openOurs(mcp: McpAddress): Promise<() => Promise<string>> {
  const pool = await openPool({ bench: mcp });
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  const { signal } = new AbortController();
  let calls = 0;
  return async () => {
    const id = `call-${++calls}` as ToolCallId;
    const call = { type: "tool_call" as const, id, name: "bench__echo", args };
    const result = await box.call(call, { signal, emit: async () => {} });
    return "content" in result ? textOf(result.content) : "";
  };
}

const [name, json = ""] = process.argv.slice(2);
const call = await (name === "pool" ? openOurs : openBare)(JSON.parse(json) as McpAddress);

/** The ms that each of so many calls takes, one after the other. */
serveParent("ready", async (count: number) => {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const before = performance.now();
    const text = await call();
    times.push(performance.now() - before);
    if (!text.includes("hello")) throw new Error(`echo answered ${text.slice(0, 200)}`);
  }
  return times;
});
