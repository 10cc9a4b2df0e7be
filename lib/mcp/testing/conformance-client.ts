import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createFlights } from "@/lib/mcp/flights";
import type { SavedLogin } from "@/lib/mcp/oauth/types";
import { createMcpPool } from "@/lib/mcp/pool";
import type { McpPool } from "@/lib/mcp/types";
import type { InputRequest, StepChunk } from "@/lib/protocol/chunk";
import type { McpServerItem } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";

/**
 * The client that the protocol's own conformance suite drives: our pool as the application makes it, with a browser that
 * consents to everything. The address of the server is the last argument, what a scenario needs is in the environment.
 */
interface Context {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
}

const url = process.argv.at(-1) ?? "";
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Context;
const redirectUrl = "http://127.0.0.1:3000/api/mcp/oauth/callback";
const maxSignIns = 3;
const maxRounds = 10;
let calls = 0;
const settleMs = 30_000;
const server = "scenario";

const folder = await mkdtemp(join(tmpdir(), "meguri-conformance-"));
const logins = new Map<string, SavedLogin>();
const pool = await openPool();
try {
  await settle(pool);
  await callTools(pool);
} finally {
  for (const { source, text } of pool.logs(server)) console.error(`${source}: ${text}`);
  await pool.close();
  await rm(folder, { recursive: true, force: true });
}

async function openPool(): Promise<McpPool> {
  const configPath = join(folder, "mcp.json");
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const isMachine = scenario.includes("client-credentials");
  const oauth = {
    ...(clientId && { clientId }),
    ...(clientSecret && { clientSecret }),
    ...(privateKey && { privateKey, algorithm: context.signing_algorithm ?? "ES256" }),
    ...(isMachine && { grant: "client_credentials" }),
  };
  await writeFile(configPath, JSON.stringify({ mcpServers: { [server]: { url, oauth } } }));
  const made = createMcpPool({
    configPath,
    root: folder,
    approvals: { all: async () => new Map(), set: async () => {}, delete: async () => {} },
    trustFile: true,
    env: {},
    reservedEnv: [],
    privateHosts: ["127.0.0.1:*", "localhost:*"],
    logins: {
      redirectUrls: [redirectUrl],
      clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
      memory: {
        get: async (name) => logins.get(name),
        set: async (name, login) => void (login ? logins.set(name, login) : logins.delete(name)),
      },
    },
    version: "1.0.0",
    log: (_level, message) => console.error(message),
  });
  await made.start();
  return made;
}

/** Waits until the server is ready, and signs in as often as it asks for it. */
async function settle(pool: McpPool): Promise<McpServerItem> {
  for (let signIns = 0; ; ) {
    const item = await stateOf(pool);
    if (item.status === "ready") return item;
    if (item.status !== "needs_login" || signIns++ >= maxSignIns)
      throw new Error(`${item.status}: ${item.lastError?.message}`);
    await signIn(pool);
  }
}

async function stateOf(pool: McpPool): Promise<McpServerItem> {
  const end = Date.now() + settleMs;
  while (Date.now() < end) {
    const item = pool.server(server);
    if (item && item.status !== "connecting") return item;
    await wait(20);
  }
  throw new Error("The server did not connect in time.");
}

/** A person who goes where we say and consents to what is there. */
async function signIn(pool: McpPool): Promise<void> {
  const page = await pool.login(server, redirectUrl);
  const response = await fetch(page, { redirect: "manual" });
  const location = response.headers.get("location");
  if (!location) throw new Error(`The authorization server answered ${response.status} without a redirect.`);
  await pool.finishLogin(new URL(location, page).searchParams);
}

async function callTools(pool: McpPool): Promise<void> {
  const { tools } = await settle(pool);
  const wanted =
    context.toolCalls ??
    tools.map(({ name, inputSchema }) => ({
      name,
      // One scenario wants to see the schema that has reached us.
      arguments:
        name === "json_schema_echo"
          ? { schema: tools.find((other) => other.name !== name)?.inputSchema }
          : (sampleOf(inputSchema) as Record<string, unknown>),
    }));
  for (const { name, arguments: args } of wanted)
    for (let attempt = 0; attempt <= maxSignIns; attempt++) {
      const result = await callTool(pool, name, args);
      const [first] = result.content;
      const text = first?.type === "text" ? first.text : "";
      console.error(`${name}: ${result.status} ${text}`);
      if (result.status !== "error" || !/sign in|sign-in/i.test(text) || attempt === maxSignIns) break;
      await signIn(pool);
      await settle(pool);
    }
}

/** As a run calls a tool; whoever asks for input is told yes, and gets what has no default. */
async function callTool(pool: McpPool, tool: string, args: Record<string, unknown>): Promise<ToolResult> {
  const open: OpenCalls = new Map();
  const signal = AbortSignal.timeout(settleMs);
  const box = pool.toolBox({ open, flights: createFlights() });
  const id = `call_${calls++}` as ToolCallId;
  const name = pool.server(server)?.tools.find((item) => item.name === tool)?.qualifiedName ?? tool;
  const emit = async (chunk: StepChunk) => void openCalls([chunk], open);
  for (let round = 0; round < maxRounds; round++) {
    const questions: InputRequest[] = [];
    const listen = async (chunk: StepChunk) => {
      await emit(chunk);
      if (chunk.type === "input_request") questions.push(chunk);
    };
    const outcome = await box.call({ type: "tool_call", id, name, args }, { signal, emit: listen });
    if (!("waiting" in outcome)) return outcome;
    for (const { requestId, schema } of questions) {
      const content = requiredOf(schema as Record<string, unknown> | undefined);
      openCalls([{ type: "answer", requestId, id, answer: { input: { action: "accept", content } } }], open);
    }
  }
  throw new Error(`${tool} asks again and again.`);
}

/** Only what has to be there, so that defaults are left to the client. */
function requiredOf(schema: Record<string, unknown> = {}): Record<string, unknown> {
  const sample = (sampleOf(schema) ?? {}) as Record<string, unknown>;
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.fromEntries(Object.entries(sample).filter(([name]) => required.has(name)));
}

/** A value that fits the schema of a test's tool. */
function sampleOf(schema: Record<string, unknown>): unknown {
  switch (schema.type) {
    case "object": {
      const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
      return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, sampleOf(inner)]));
    }
    case "number":
    case "integer":
      return 5;
    case "boolean":
      return true;
    case "array":
      return [];
    default:
      return "test";
  }
}
