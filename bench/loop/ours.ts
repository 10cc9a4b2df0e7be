import { Agent } from "undici";
import { openPool } from "@/bench/support/open-pool";
import { mapTurn } from "@/lib/agent/map-turn";
import type { ToolBox } from "@/lib/agent/ports";
import { withApproval } from "@/lib/agent/with-approval";
import { withArgumentChecks } from "@/lib/agent/with-argument-checks";
import { withLiveAnswers } from "@/lib/agent/with-live-answers";
import { withRetry } from "@/lib/agent/with-retry";
import { withTurnTimeouts } from "@/lib/agent/with-timeouts";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";
import { pacedConnections } from "@/lib/providers/openai/read-pace";
import { openProviders } from "@/lib/providers/providers";
import { noteOrigins } from "@/lib/server/loop/run-provider";
import { runLoop } from "./run-loop";
import type { Addresses, Contestant } from "./tasks";

/** The loop with its adapter, pool and wrappers, put together as `lib/server/runs` does; without store and log. */
export async function openOurs({ openai, mcp }: Addresses): Promise<Contestant> {
  const dispatcher = new Agent({ connect: pacedConnections });
  const adapter = openProviders({ access: { openai: { baseURL: openai } } }, { dispatcher }).provider(
    "openai/test-model",
  );
  const pool = await openPool({ bench: mcp });
  const provider = mapTurn(withRetry(withTurnTimeouts(adapter, 90_000)), noteOrigins(pool));
  const inFlight = new InFlightCalls();
  const loop = (open: OpenCalls, asks: boolean) => ({
    provider,
    tools: runTools(pool, inFlight, open, asks),
    note: (chunk: Parameters<typeof openCalls>[0] extends Iterable<infer One> ? One : never) =>
      openCalls([chunk], open),
  });

  return {
    run: async (task) => (await runLoop(task, loop(new Map(), false))).outcome,
    async approve(task) {
      const open: OpenCalls = new Map();
      const asked = await runLoop(task, loop(open, true));
      for (const id of open.keys())
        openCalls([{ type: "answer", requestId: id, id, answer: { decision: "approve" } }], open);
      const resumed = await runLoop(task, loop(open, true), asked.history);
      return { asked: asked.outcome, resumed: resumed.outcome };
    },
  };
}

function runTools(pool: McpPool, inFlight: InFlightCalls, open: OpenCalls, asks: boolean): ToolBox {
  const approved = withApproval(pool.toolBox({ open, inFlight }), {
    policy: async ({ name }) =>
      asks || pool.tool(name)?.item.definition !== "pinned" ? { ask: "rule" } : "allow",
    open,
    inFlight: ({ id }) => inFlight.has(id),
  });
  return withArgumentChecks(withLiveAnswers(approved, { answered: () => new Promise(() => {}) }));
}
