import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, expect, test } from "vitest";
import type { ConversationDetail } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { ask, connect, newToken, withGateway } from "./testing/mcp-client";

const agents = mkdtempSync(join(tmpdir(), "agents-"));
const write = (name: string, more: string, instruction: string) =>
  writeFileSync(
    join(agents, `${name}.yaml`),
    `name: ${name}\n${more}\nagent:\n  type: llm\n  name: writer\n  instruction: ${instruction}\n`,
  );
write(
  "haiku",
  "title: { en: Write a haiku, ja: 俳句を詠む }\ndescription: Seventeen syllables.\nstate:\n  topic:\n  tone: plain",
  "'About {topic}, {tone}.'",
);
write("clerk", "title: A clerk", "Use your tool.");
write("ask", "title: Has a name of Meguri's own", "Answer.");
write("plain__echo", "title: Has the name of a server's tool", "Answer.");

const model = await startOpenAiServer(
  ({ toolResults, body }) => {
    const told = JSON.stringify(body.messages);
    return told.includes("Use your tool") && toolResults.length === 0
      ? [callTools({ name: "plain__echo", args: { a: 1 } })]
      : [say(told.includes("About tea, plain.") ? "Steam above the cup." : "Done.")];
  },
  { models: ["test-model"] },
);
afterAll(() => model.close());
withGateway(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model", AGENTS_DIR: agents },
);

type Answer = { content: { text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean };

const switchOn = (...agentTools: string[]) => ask("PATCH", "/api/settings", { agentTools });

async function begin(options: Parameters<typeof newToken>[0] = {}) {
  const { value } = await newToken({ servers: ["plain"], scopes: ["mcp", "chat"], ...options });
  const { client } = await connect(value);
  const tools = async () => (await client.listTools()).tools;
  const names = async () => (await tools()).map(({ name }) => name);
  const call = async (name: string, args = {}, more = {}) =>
    (await client.callTool({ name, arguments: args }, undefined, more)) as Answer;
  return { client, tools, names, call };
}

test("an agent is a tool as soon as its person switches it on, and clients are told", async () => {
  await switchOn();
  const { client, names, tools, call } = await begin();
  let changed = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changed++;
  });
  expect(await names()).not.toContain("haiku");
  await expect(call("haiku", { question: "Go", state: { topic: "tea" } })).rejects.toMatchObject({
    code: -32_602,
  });
  await expect
    .poll(async () => {
      await switchOn();
      await switchOn("haiku");
      return changed;
    })
    .toBeGreaterThan(0);
  const haiku = (await tools()).find(({ name }) => name === "haiku");
  expect(haiku).toMatchObject({
    title: "Write a haiku",
    description: expect.stringMatching(/^Seventeen syllables\./),
    inputSchema: {
      required: ["question", "state"],
      properties: { state: { required: ["topic"], additionalProperties: false } },
    },
  });
  await switchOn();
  expect(await names()).not.toContain("haiku");
});

test("clients are told of a file that is written, changed or deleted on the disk, and of none that is no tool of theirs", async () => {
  await switchOn("haiku", "poet");
  const { client, tools } = await begin();
  const other = await begin({ scopes: ["mcp"] });
  /** What the client finds each time that it is told. */
  const heard: string[] = [];
  let heardByOther = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    heard.push((await tools()).find(({ name }) => name === "poet")?.description ?? "none");
  });
  other.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heardByOther++);
  const last = () => expect.poll(() => heard.at(-1), { timeout: 10_000 });
  // The first of them may be told before the stream is open.
  for (let times = 0; heard.length === 0; times++) {
    await switchOn("poet");
    await switchOn("haiku", "poet");
    expect(times).toBeLessThan(1_000);
  }
  write("poet", "description: Any verse.", "Answer.");
  await last().toMatch(/^Any verse\./);
  write("poet", "description: Free verse.", "Answer.");
  write("nobody", "description: No tool.", "Answer.");
  await last().toMatch(/^Free verse\./);
  rmSync(join(agents, "poet.yaml"));
  await last().toBe("none");
  expect(heardByOther).toBe(0);
  rmSync(join(agents, "nobody.yaml"));
});

test("it answers with its words and the address of the conversation, tells how it goes, and goes on in one", async () => {
  await switchOn("haiku");
  const { call } = await begin();
  const told: string[] = [];
  const onprogress = ({ message }: { message?: string }) => told.push(message ?? "");
  const answer = await call("haiku", { question: "Go", state: { topic: "tea" } }, { onprogress });
  expect(answer.content[0]?.text).toBe("Steam above the cup.");
  expect(told.length).toBeGreaterThan(0);
  const { conversationId, url } = answer.structuredContent as { conversationId: string; url: string };
  expect(answer.content[1]?.text).toContain(url);
  await call("haiku", { question: "Again", state: { topic: "tea" }, conversation: conversationId });
  const detail: ConversationDetail = await (await ask("GET", `/api/conversations/${conversationId}`)).json();
  expect(detail.runs.map(({ agent }) => agent)).toEqual(["haiku", "haiku"]);
});

test("what an agent does not take is told with its field", async () => {
  await switchOn("haiku");
  const { call } = await begin();
  for (const args of [{}, { question: "Go" }, { question: "Go", state: { topic: "tea", size: "3" } }]) {
    const answer = await call("haiku", args);
    expect(answer).toMatchObject({ isError: true });
    expect(answer.content[0]?.text).toMatch(/^Not run: .*(question|state|size)/);
  }
  const gone = await call("haiku", { question: "Go", state: { topic: "tea" }, conversation: "none" });
  expect(gone).toMatchObject({ isError: true });
});

test("what needs a person waits for them, and says so where nobody is waited for", async () => {
  await switchOn("clerk");
  const { call } = await begin();
  const asked = call("clerk", { question: "Go" });
  const waiting = async () => (await (await ask("GET", "/api/runs?status=waiting")).json()).items;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [run] = await waiting();
  const requestId = run.pending[0].requestId;
  await ask("POST", `/api/runs/${run.id}/answer`, { requestId, decision: "approve" });
  expect((await asked).content[0]?.text).toBe("Done.");
  const hasty = await begin({ onApproval: "fail" });
  expect((await hasty.call("clerk", { question: "Go" })).content[0]?.text).toContain("waits for a person");
});

test("a client without the scope chat has none, and names of servers and of Meguri go before", async () => {
  await switchOn("haiku", "plain__echo");
  for (const scopes of [["mcp"], ["mcp", "read"]] as const) {
    const { names, call } = await begin({ scopes: [...scopes] });
    expect(await names()).not.toContain("haiku");
    await expect(call("haiku", { question: "Go", state: { topic: "tea" } })).rejects.toMatchObject({
      code: -32_602,
    });
  }
  const { tools } = await begin();
  expect((await tools()).filter(({ name }) => name === "plain__echo")).toMatchObject([
    { description: expect.not.stringContaining("agent of Meguri") },
  ]);
  const refused = await switchOn("ask");
  expect(refused.status).toBe(400);
  expect((await refused.json()).error.message).toContain("agentTools");
  expect((await switchOn("not a name")).status).toBe(400);
});
