import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "undici";
import { executeWithToolsStream } from "@/lib/agent/execute-with-tools-stream";
import { mapTurn } from "@/lib/agent/map-turn";
import type { ToolBox } from "@/lib/agent/ports";
import { withApproval } from "@/lib/agent/with-approval";
import { withArgumentChecks } from "@/lib/agent/with-argument-checks";
import { withLiveAnswers } from "@/lib/agent/with-live-answers";
import { withRetry } from "@/lib/agent/with-retry";
import { withTurnTimeouts } from "@/lib/agent/with-timeouts";
import { createFlights } from "@/lib/mcp/flights";
import { leanFetch } from "@/lib/mcp/lean-fetch";
import { createMcpPool } from "@/lib/mcp/pool";
import type { Flights, McpPool } from "@/lib/mcp/types";
import type { UserMessage } from "@/lib/protocol/message";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";
import { openProviders } from "@/lib/providers/providers";
import { noteOrigins } from "@/lib/server/runs/note-origins";
import { type Addresses, type Contestant, type Outcome, system, toolTurns } from "./rows";

/** The loop with its adapter, pool and wrappers, put together as `lib/server/runs` does; without store and log. */
export async function openOurs({ model, mcp }: Addresses): Promise<Contestant> {
  const fetch = leanFetch(new Agent());
  const provider = openProviders({ openai: { baseURL: model }, ollama: {} }, { fetch }).provider(
    "openai/test-model",
  );
  const wrapped = withRetry(withTurnTimeouts(provider, 90_000));
  const pool = await openPool(mcp);
  const flights = createFlights();

  return {
    async run(question) {
      const open: OpenCalls = new Map();
      const user: UserMessage = { role: "user", parts: [{ type: "text", text: question }] };
      const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
      const stream = executeWithToolsStream({
        provider: mapTurn(wrapped, noteOrigins(pool)),
        tools: runTools(pool, flights, open),
        system,
        history: [user],
        signal: new AbortController().signal,
        maxIterations: toolTurns + 1,
      });
      for await (const chunk of stream) {
        openCalls([chunk], open);
        if (chunk.type === "text") outcome.pieces++;
        else if (chunk.type === "tool_result") outcome.toolResults++;
        else if (chunk.type === "result") outcome.text = chunk.result.finalText;
      }
      return outcome;
    },
  };
}

function runTools(pool: McpPool, flights: Flights, open: OpenCalls): ToolBox {
  const approved = withApproval(pool.toolBox({ open, flights }), {
    policy: async ({ name }) => (pool.tool(name)?.item.definition === "changed" ? { ask: "rule" } : "allow"),
    open,
    inFlight: ({ id }) => flights.has(id),
  });
  return withArgumentChecks(withLiveAnswers(approved, { answered: () => new Promise(() => {}) }));
}

async function openPool(url: string): Promise<McpPool> {
  const folder = await mkdtemp(join(tmpdir(), "meguri-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const configPath = join(folder, "mcp.json");
  await writeFile(configPath, JSON.stringify({ mcpServers: { bench: { url } } }));
  const pool = createMcpPool({
    configPath,
    root: folder,
    approvals: { all: async () => new Map(), set: async () => {}, delete: async () => {} },
    trustFile: true,
    env: {},
    reservedEnv: [],
    privateHosts: [],
    version: "1.0.0",
    log: () => {},
  });
  await pool.start();
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => pool.server("bench")?.status === "ready" && resolve();
  const stop = pool.onChange(look);
  look();
  await promise;
  stop();
  return pool;
}
