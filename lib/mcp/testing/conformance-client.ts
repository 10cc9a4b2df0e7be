import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { SavedLogin } from "@/lib/mcp/oauth/types";
import { createMcpPool } from "@/lib/mcp/pool";
import type { McpPool } from "@/lib/mcp/types";
import type { McpServerItem } from "@/lib/protocol/http";

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
  const calls =
    context.toolCalls ??
    tools.map(({ name, inputSchema }) => ({
      name,
      // One scenario wants to see the schema that has reached us.
      arguments:
        name === "json_schema_echo"
          ? { schema: tools.find((other) => other.name !== name)?.inputSchema }
          : (sampleOf(inputSchema) as Record<string, unknown>),
    }));
  for (const { name, arguments: args } of calls)
    for (let attempt = 0; attempt <= maxSignIns; attempt++) {
      const result = await pool.call(server, name, args, AbortSignal.timeout(settleMs));
      const [first] = result.content;
      const text = first?.type === "text" ? first.text : "";
      console.error(`${name}: ${result.status} ${text}`);
      if (result.status !== "error" || !/sign in|sign-in/i.test(text) || attempt === maxSignIns) break;
      await signIn(pool);
      await settle(pool);
    }
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
