import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { requestJwtAuthorizationGrant } from "@modelcontextprotocol/client";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { Vouching } from "@/lib/mcp/oauth/login-setup";
import { createMcpPool } from "@/lib/mcp/pool";
import type { InputRequest, StepChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { ToolResult } from "@/lib/protocol/message";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";
import {
  context,
  fillForm,
  hasSkills,
  loadsSkills,
  maxRestarts,
  maxSignIns,
  serverEntry,
  wantedCalls,
  wantsSignIn,
} from "./conformance-scenario";
import { consent } from "./consent";
import { TestLoginMemory } from "./login-memory";

/**
 * The fast part of the protocol's own conformance suite: the pool as the application creates it, with a browser that
 * consents to everything. e2e/conformance/client.ts does the same through the running application.
 */
const redirectUrl = "http://127.0.0.1:3000/api/mcp/oauth/callback";
const maxRounds = 10;
let calls = 0;
/** The suite has signed a person in, and has no page for it: what the application asks after that is asked here. */
const vouching: Vouching = {
  vouch: async ({ scope, ...wanted }) => {
    const { idp_id_token: idToken = "", idp_client_id: clientId = "", idp_token_endpoint = "" } = context;
    const asked = { ...wanted, ...(scope && { scope }), idToken, clientId };
    return (await requestJwtAuthorizationGrant({ ...asked, tokenEndpoint: idp_token_endpoint })).jwtAuthGrant;
  },
  signInPage: () => {
    throw new Error("The suite's identity provider has no page.");
  },
};
const settleMs = 30_000;
const server = "scenario";

const folder = await mkdtemp(join(tmpdir(), "meguri-conformance-"));
const pool = await openPool();
try {
  await settle(pool);
  await callTools(pool);
  await loadSkills(pool);
} finally {
  for (const { source, text } of pool.logs(server)) console.error(`${source}: ${text}`);
  await pool.close();
  await rm(folder, { recursive: true, force: true });
}

async function openPool(): Promise<McpPool> {
  const configPath = join(folder, "mcp.json");
  await writeFile(configPath, JSON.stringify({ mcpServers: { [server]: serverEntry() } }));
  const made = createMcpPool({
    configPath,
    root: folder,
    approvals: { all: async () => new Map(), set: async () => {}, delete: async () => {} },
    trustFile: true,
    env: {},
    reservedEnv: [],
    privateHosts: ["127.0.0.1:*", "localhost:*"],
    logins: { redirectUrls: [redirectUrl], memory: new TestLoginMemory(), vouching },
    version: "1.0.0",
    log: (_level, message) => console.error(message),
  });
  await made.start();
  return made;
}

/** Waits until the server is ready, and signs in as often as it asks. */
async function settle(pool: McpPool): Promise<McpServerItem> {
  for (let signIns = 0, restarts = 0; ; ) {
    const item = await stateOf(pool);
    if (item.status === "ready") return item;
    if (item.status === "failed" && restarts++ < maxRestarts) {
      await pool.restart(server);
      continue;
    }
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

/** A person who opens the address and consents. */
async function signIn(pool: McpPool): Promise<void> {
  const page = await pool.signIns.begin(server, redirectUrl);
  await pool.signIns.finish((await consent(page, redirectUrl)).searchParams);
}

async function callTools(pool: McpPool): Promise<void> {
  const { tools } = await settle(pool);
  for (const { name, arguments: args } of wantedCalls(tools))
    for (let attempt = 0; attempt <= maxSignIns; attempt++) {
      const result = await callTool(pool, name, args);
      const [first] = result.content;
      const text = first?.type === "text" ? first.text : "";
      console.error(`${name}: ${result.status} ${text}`);
      if (!wantsSignIn(result.status, text) || attempt === maxSignIns) break;
      await signIn(pool);
      await settle(pool);
    }
}

/** Reads all files of all skills, refused or not; one scenario checks that nothing is read. */
async function loadSkills(pool: McpPool): Promise<void> {
  if (!hasSkills) return;
  for (const end = Date.now() + settleMs; pool.library.skills().length === 0 && Date.now() < end; )
    await wait(20);
  if (!loadsSkills) return;
  for (const { uri, files } of pool.library.skills())
    for (const file of files ?? [])
      await pool.library
        .readSkill(server, uri, file, AbortSignal.timeout(settleMs))
        .then(() => console.error(`${file}: read`))
        .catch((error) => console.error(`${file}: ${error}`));
}

/** Calls a tool as a run does; every question is accepted, and fields without a default are filled in. */
async function callTool(pool: McpPool, tool: string, args: Record<string, unknown>): Promise<ToolResult> {
  const open: OpenCalls = new Map();
  const signal = AbortSignal.timeout(settleMs);
  const box = pool.toolBox({ open, inFlight: new InFlightCalls() });
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
    for (const { requestId, schema, reason } of questions) {
      if (reason === "login") {
        await signIn(pool);
        await settle(pool);
      }
      const content = fillForm(schema as Record<string, unknown> | undefined);
      openCalls([{ type: "answer", requestId, id, answer: { input: { action: "accept", content } } }], open);
    }
  }
  throw new Error(`${tool} asks again and again.`);
}
