import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { MCPClient } from "@/lib/mcp/mcp-pool";
import { createMcpPool } from "@/lib/mcp/pool";
import { calls, question, says, scripted } from "./support";

const everything = join(process.cwd(), "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const configPath = join(await mkdtemp(join(tmpdir(), "meguri-example-")), "mcp-servers.json");
const mcpServers = { everything: { command: process.execPath, args: [everything, "stdio"] } };
await writeFile(configPath, JSON.stringify({ mcpServers }));
const pool: MCPClient = createMcpPool({
  configPath,
  root: process.cwd(),
  approvals: { all: async () => new Map(), set: async () => {}, delete: async () => {} },
  trustFile: true,
  env: process.env,
  reservedEnv: [],
  privateHosts: [],
  version: "1.0.0",
  log: () => {},
});
await pool.start();
await pool.toolWhenReady("everything__echo", AbortSignal.timeout(20_000));

const { historyDelta } = await executeWithTools({
  provider: scripted(calls("everything__echo", { message: "hi" }), says("It said hi.")),
  tools: pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() }),
  system: "",
  history: question("Say hi to the server"),
  signal: AbortSignal.timeout(60_000),
});
await pool.close();

export const output = JSON.stringify(historyDelta[1]).includes("Echo: hi"); // true
