import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, expect, test } from "vitest";
import type { ConversationDetail } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { host } from "@/lib/server/testing/database-env";
import { ask, connect, newToken, withGateway } from "./testing/mcp-client";

const model = await startOpenAiServer(
  ({ toolResults, lastUserText }) =>
    lastUserText.includes("use a tool") && toolResults.length === 0
      ? [callTools({ name: "plain__echo", args: { a: 1 } })]
      : [say("The answer is 42. "), say("It was long known.")],
  { models: ["test-model"] },
);
afterAll(() => model.close());

const fixture = (...args: string[]) => ({
  command: "node",
  args: ["lib/mcp/testing/fixture-server.mjs", ...args],
});
withGateway(
  { plain: fixture("plain"), many: fixture("many"), away: { ...fixture("meta"), deferred: true } },
  { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" },
);

type Answer = { content: { text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean };
const own = ["ask", "list_assistants", "read_conversation", "search_conversations"];

async function begin(options: Parameters<typeof newToken>[0]) {
  const { client } = await connect((await newToken(options)).value);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const call = async (name: string, args = {}, more = {}) =>
    (await client.callTool({ name, arguments: args }, undefined, more)) as Answer;
  return { client, names, call };
}

test("Meguri's own tools are for clients whose token has their scopes too", async () => {
  const servers = ["plain"];
  const bare = await (await begin({ servers })).names();
  expect(bare.toSorted()).toEqual(["plain__echo", "plain__environment", "plain__wait"]);
  const reader = await begin({ servers, scopes: ["mcp", "read"] });
  expect((await reader.names()).filter((name) => own.includes(name)).toSorted()).toEqual(own.slice(1));
  await expect(reader.call("ask", { question: "What?" })).rejects.toMatchObject({ code: -32_602 });
  const asker = await begin({ servers, scopes: ["mcp", "chat"] });
  expect((await asker.names()).filter((name) => own.includes(name)).toSorted()).toEqual(own);
});

test("ask is answered with the words of the model and the address of the conversation, and tells how it goes", async () => {
  const { call } = await begin({ servers: ["plain"], scopes: ["mcp", "chat"] });
  const told: string[] = [];
  const onprogress = ({ message }: { message?: string }) => told.push(message ?? "");
  const answer = await call("ask", { question: "What is it?" }, { onprogress });
  expect(answer.content[0]?.text).toBe("The answer is 42. It was long known.");
  const { conversationId, url } = answer.structuredContent as { conversationId: string; url: string };
  expect(url).toMatch(new RegExp(`^http://${host.split(":")[0]}:\\d+/c/${conversationId}$`));
  expect(answer.content[1]?.text).toContain(url);
  expect(told.join()).toContain("The");
  await call("ask", { question: "And more?", conversation: conversationId });
  const detail: ConversationDetail = await (await ask("GET", `/api/conversations/${conversationId}`)).json();
  expect(detail.messages.filter(({ role }) => role === "user")).toHaveLength(2);
  expect((await call("ask", { question: "What?", assistant: "Nobody" })).isError).toBe(true);
  expect((await call("ask", { question: "" })).content[0]?.text).toContain("Not run");
  expect((await call("ask", { question: "What?", model: "no/such" })).isError).toBe(true);
});

test("an answer that needs a person waits for them, and says so where nobody is waited for", async () => {
  const scopes = ["mcp", "chat"] as const;
  const servers = ["plain"];
  const { call } = await begin({ servers, scopes: [...scopes] });
  const asked = call("ask", { question: "Please use a tool." });
  const waiting = async () => (await (await ask("GET", "/api/runs?kind=chat&status=waiting")).json()).items;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [run] = await waiting();
  await ask("POST", `/api/runs/${run.id}/answer`, {
    requestId: run.pending[0].requestId,
    decision: "approve",
  });
  expect((await asked).content[0]?.text).toContain("42");
  const hasty = await begin({ servers, scopes: [...scopes], onApproval: "fail" });
  const answer = await hasty.call("ask", { question: "Please use a tool." });
  expect(answer).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("waits for a person") }],
  });
});

test("an answer of an assistant has no servers beyond those of the client", async () => {
  const made = await ask("POST", "/api/assistants", { name: "Clerk", servers: ["plain", "many"] });
  expect(made.status).toBe(201);
  const { call } = await begin({ servers: ["many", "away"], scopes: ["mcp", "chat"] });
  expect((await call("list_assistants")).structuredContent).toMatchObject({ items: [{ name: "Clerk" }] });
  const answer = await call("ask", { question: "Who?", assistant: "clerk" });
  const id = answer.structuredContent?.conversationId;
  const detail: ConversationDetail = await (await ask("GET", `/api/conversations/${id}`)).json();
  expect(detail.choice).toMatchObject({ servers: ["many"] });
});

test("conversations are found and read, and those of nobody else", async () => {
  const { call } = await begin({ servers: ["plain"], scopes: ["mcp", "chat"] });
  await call("ask", { question: "Where is the pelican?" });
  const found = await call("search_conversations", { query: "pelican" });
  const { items } = found.structuredContent as { items: { conversationId: string }[] };
  expect(items).toMatchObject([{ role: "user", title: expect.any(String) }]);
  const read = await call("read_conversation", { conversation: items[0]?.conversationId });
  expect(read.content[0]?.text).toMatch(
    /## Person\n\nWhere is the pelican\?\n\n## Assistant\n\nThe answer is 42/,
  );
  expect((await call("read_conversation", { conversation: "nothing" })).isError).toBe(true);
  expect((await call("search_conversations", { query: "?" })).isError).toBe(true);
});

test("tools that are too many at once are searched for, and what is found is listed and can be called", async () => {
  const { client, names, call } = await begin({ servers: ["many"] });
  expect(await names()).toEqual(["search_tools"]);
  let changed = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changed++;
  });
  const found = await call("search_tools", { query: "send an e-mail" });
  expect(found.content[0]?.text).toContain("many__send_mail");
  expect(await names()).toContain("many__send_mail");
  await expect
    .poll(async () => {
      await call("search_tools", { query: "shelf" });
      return changed;
    })
    .toBeGreaterThan(0);
  // By its name it is called without a search, too.
  const { call: other } = await begin({ servers: ["many"], onApproval: "fail" });
  expect((await other("many__shelf_7")).content[0]?.text).toContain("needs a person's yes");
});

test("tools of a server that is deferred are searched for, however few there are", async () => {
  const { names, call } = await begin({ servers: ["plain", "away"] });
  const before = ["plain__echo", "plain__environment", "plain__wait", "search_tools"];
  expect((await names()).toSorted()).toEqual(before);
  await call("search_tools", { query: "meta" });
  expect(await names()).toContain("away__meta");
});
