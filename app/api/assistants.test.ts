import { afterAll, beforeEach, expect, test } from "vitest";
import type { Assistant } from "@/lib/protocol/assistants";
import type { ConversationDetail, Page } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const fixture = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const model = await startOpenAiServer(() => [say("Fine.")], {});
afterAll(() => model.close());
withApplication({ one: fixture, two: fixture }, { OPENAI_BASE_URL: model.url, AGENTS_DIR: "agents" });

const path = "/api/assistants";
const call = async (method: string, where: string, body?: unknown) => {
  const response = await callApi(method, where, body);
  return { status: response.status, body: await response.json() };
};
const list = async (query = "") => (await call("GET", path + query)).body as Page<Assistant>;
const add = async (body: object): Promise<Assistant> => {
  const { status, body: made } = await call("POST", path, { name: "Clerk", ...body });
  expect(status).toBe(201);
  return made;
};
const ask = async (more: object) => {
  const response = await callApi("POST", "/api/chat", { message: { text: "Hello" }, ...more });
  expect(response.status).toBe(200);
  return readStream(response);
};
const request = () => model.requests.at(-1);
/** What the model was told before the conversation. */
const told = () => JSON.stringify((request()?.body.messages as unknown[] | undefined)?.[0]);
const own = (server: string) => ["echo", "environment", "wait"].map((tool) => `${server}__${tool}`);
const notices = ({ chunks }: Awaited<ReturnType<typeof ask>>) =>
  chunks.flatMap((chunk) => (chunk.type === "notice" ? `${chunk.kind}: ${chunk.message}` : []));

beforeEach(async () => {
  for (const { id } of (await list()).items) await callApi("DELETE", `${path}/${id}`);
});

test("an assistant is made, read, listed, changed and deleted", async () => {
  const made = await add({ name: " Refund clerk ", instructions: "Ask first.", servers: ["one", "one"] });
  expect(made).toEqual({
    id: expect.any(String),
    name: "Refund clerk",
    icon: "R",
    description: "",
    instructions: "Ask first.",
    servers: ["one"],
  });
  const where = `${path}/${made.id}`;
  expect(await call("GET", where)).toEqual({ status: 200, body: made });
  expect((await list()).items).toEqual([made]);
  const more = {
    icon: "👩🏽‍💻",
    model: "openai/gpt",
    effort: "low",
    agent: "review",
    examples: ["Which ones?"],
    deferred: { one: true },
  };
  expect((await call("PATCH", where, more)).body).toEqual({ ...made, ...more });
  const none = { model: null, effort: null, agent: null, servers: null, deferred: null, examples: null };
  const { servers: _, ...bare } = { ...made, icon: more.icon };
  expect((await call("PATCH", where, none)).body).toEqual(bare);
  expect((await call("DELETE", where)).status).toBe(200);
  for (const method of ["GET", "PATCH", "DELETE"])
    expect(await call(method, where, method === "PATCH" ? {} : undefined)).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", message: "There is no such assistant." } },
    });
});

test("the list comes in pages, newest first", async () => {
  for (const name of ["A", "B", "C"]) await add({ name });
  const first = await list("?limit=2");
  expect(first.items.map(({ name }) => name)).toEqual(["C", "B"]);
  const second = await list(`?limit=2&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ items: [{ name: "A" }], nextCursor: null });
  expect((await call("GET", `${path}?cursor=x`)).status).toBe(400);
});

test("bad input is refused by the name of its field, and nothing is kept", async () => {
  for (const [body, message] of [
    [{ name: " " }, "name: must not be empty."],
    [{ name: "a\u202eb" }, "name: must not hold characters that cannot be seen."],
    [{ name: "x".repeat(61) }, /^name: /],
    [{ icon: "AB" }, "icon: must be one letter or one emoji."],
    [{ icon: "A".repeat(400_000) }, /^icon: /],
    [{ instructions: "訳".repeat(34_134) }, /^instructions: must have at most 100 KB/],
    [{ instructions: "a\u{e0041}b" }, "instructions: must not hold characters that cannot be seen."],
    [{ model: "gpt" }, 'model: must be "provider/name".'],
    [{ effort: "huge" }, /^effort: /],
    [{ servers: [""] }, /^servers.0: /],
    [{ examples: Array(9).fill("x") }, /^examples: /],
    [{ command: "rm" }, /^command: /],
  ] as const) {
    const answer = await call("POST", path, { name: "Clerk", ...body });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(message) } },
    });
  }
  expect((await list()).items).toEqual([]);
});

test("all of them together have at most 2 MB, and no change goes beyond", async () => {
  const instructions = "x".repeat(99_000);
  for (let at = 0; at < 20; at++) await add({ instructions });
  expect(await call("POST", path, { name: "x", instructions })).toMatchObject({
    status: 400,
    body: { error: { code: "too_many" } },
  });
  const small = await add({ instructions: "" });
  expect((await call("PATCH", `${path}/${small.id}`, { instructions })).status).toBe(400);
  expect((await call("GET", `${path}/${small.id}`)).body).toEqual(small);
});

test("its model, servers and instructions are used from the first message on, where nothing else is said", async () => {
  const { id } = await add({
    instructions: "Speak like a clerk.",
    model: "openai/test-model",
    effort: "low",
    servers: ["two"],
  });
  await callApi("PATCH", "/api/settings", { instructions: "Use metric units." });
  const { conversationId, chunks } = await ask({ assistant: id });
  expect(request()).toMatchObject({ model: "test-model", tools: own("two") });
  expect(request()?.body.reasoning_effort).toBe("low");
  expect(told()).toMatch(/metric units.*<instructions>\\nSpeak like a clerk\.\\n<\/instructions>/);
  expect(chunks.filter(({ type }) => type === "notice")).toEqual([]);
  const detail: ConversationDetail = (await call("GET", `/api/conversations/${conversationId}`)).body;
  expect(detail.choice).toEqual({ assistant: id });

  await callApi("PATCH", `${path}/${id}`, { instructions: "Speak like a judge." });
  await ask({ conversationId });
  expect(told()).toContain("Speak like a judge.");
  await ask({ conversationId, servers: ["one"] });
  expect(request()?.tools).toEqual(own("one"));
  const choice = { servers: ["one"], effort: "high", instructions: "Be brief." };
  await callApi("PATCH", `/api/conversations/${conversationId}`, { choice });
  await ask({ conversationId });
  expect(request()?.tools).toEqual(own("one"));
  expect(request()?.body.reasoning_effort).toBe("high");
  expect(told()).toMatch(/judge.*Be brief/);
  await callApi("PATCH", `/api/conversations/${conversationId}`, { choice: { assistant: null } });
  await ask({ conversationId, model: "openai/test-model" });
  expect(told()).not.toContain("judge");
});

test("what it names and is gone is left out and told of, in each answer that would have used it", async () => {
  const { id } = await add({ model: "gone/model", servers: ["gone", "one"], agent: "nobody" });
  const read = await ask({ assistant: id });
  expect(read.status).toBe("completed");
  expect(notices(read)).toEqual([
    "server: Removed from the settings, so not used in this answer: gone.",
    "assistant: The assistant's model gone/model is not there any more, so demo/demo answers.",
    "assistant: The assistant's workflow agent nobody cannot be used, so the model answers by itself.",
  ]);
  const other = await ask({ assistant: id, model: "openai/test-model", servers: ["one"] });
  expect(notices(other)).toEqual([
    "assistant: The assistant's workflow agent nobody cannot be used, so the model answers by itself.",
  ]);
});

test("a deleted one leaves its conversations going on; a message cannot name it", async () => {
  const { id } = await add({ instructions: "Speak like a clerk.", model: "openai/test-model" });
  const { conversationId } = await ask({ assistant: id });
  await callApi("DELETE", `${path}/${id}`);
  const read = await ask({ conversationId, model: "openai/test-model" });
  expect([read.status, notices(read)]).toEqual(["completed", []]);
  expect(told()).not.toContain("clerk");
  expect(await call("POST", "/api/chat", { message: { text: "x" }, assistant: id })).toMatchObject({
    status: 404,
    body: { error: { message: "assistant: there is no such assistant; it may have been deleted." } },
  });
});
