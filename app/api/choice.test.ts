import { afterAll, expect, test } from "vitest";
import type { ConversationDetail } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const fixture = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const server = await startOpenAiServer(() => [say("Fine.")], { models: ["a", "b"] });
afterAll(() => server.close());
withApplication({ one: fixture, two: fixture }, { OPENAI_BASE_URL: server.url, DEFAULT_MODEL: "openai/a" });

const ask = async (more: object) => {
  const response = await callApi("POST", "/api/chat", { message: { text: "Hello" }, ...more });
  expect(response.status).toBe(200);
  return readStream(response);
};
const choiceOf = async (id: string) => {
  const detail: ConversationDetail = await (await callApi("GET", `/api/conversations/${id}`)).json();
  return detail.choice;
};
const choose = (id: string, choice: unknown) => callApi("PATCH", `/api/conversations/${id}`, { choice });
const asked = () => server.requests.at(-1);
const toldBy = () => JSON.stringify(asked()?.body.messages);
const systemIn = (request: ReturnType<typeof asked>) =>
  (request?.body.messages as { content: string }[] | undefined)?.[0]?.content;
const errorOf = async (response: Response) => [response.status, (await response.json()).error.message];

test("a model that is sent is the conversation's from then on, also for who names none", async () => {
  const { conversationId } = await ask({});
  expect(await choiceOf(conversationId)).toBe(null);
  await ask({ conversationId, model: "openai/b" });
  expect(await choiceOf(conversationId)).toEqual({ model: "openai/b" });
  await ask({ conversationId });
  expect(asked()?.body.model).toBe("b");
  await choose(conversationId, { model: null });
  await ask({ conversationId });
  expect([asked()?.body.model, await choiceOf(conversationId)]).toEqual(["a", null]);
});

test("the servers of a conversation hold for a message that names none; a message names others for its answer alone", async () => {
  const { conversationId } = await ask({ servers: ["one"] });
  const servers = () => [...new Set(asked()?.tools.map((name) => name.split("__")[0]))];
  await ask({ conversationId });
  expect(servers()).toEqual(["one"]);
  await ask({ conversationId, servers: ["two"] });
  expect(servers()).toEqual(["two"]);
  await ask({ conversationId, servers: null });
  expect(servers()).toEqual(["one", "two"]);
  expect(await choiceOf(conversationId)).toEqual({ servers: ["one"] });
});

test("the effort of a conversation holds for a message that names none; one that is not known is refused", async () => {
  const { conversationId } = await ask({ options: { effort: "low" } });
  const sent = () => asked()?.body.reasoning_effort;
  await ask({ conversationId });
  expect([sent(), await choiceOf(conversationId)]).toEqual(["low", { effort: "low" }]);
  await ask({ conversationId, options: { effort: "high" } });
  await choose(conversationId, { model: "openai/b" });
  expect([sent(), await choiceOf(conversationId)]).toEqual(["high", { effort: "low", model: "openai/b" }]);
  await choose(conversationId, { effort: null });
  await ask({ conversationId });
  expect(sent()).toBe(undefined);
  const [status, message] = await errorOf(await choose(conversationId, { effort: "huge" }));
  expect([status, message]).toEqual([400, expect.stringMatching(/^choice\.effort: .*low/)]);
});

test("an empty conversation begins with its choice; two who change different fields lose nothing", async () => {
  const choice = { model: "openai/b", instructions: "Answer in verse." };
  const created = await callApi("POST", "/api/conversations", { choice });
  expect(created.status).toBe(201);
  const { id } = await created.json();
  expect(await choiceOf(id)).toEqual(choice);
  await Promise.all([choose(id, { servers: ["two"] }), choose(id, { instructions: "Be brief." })]);
  expect(await choiceOf(id)).toEqual({ model: "openai/b", servers: ["two"], instructions: "Be brief." });
  await ask({ conversationId: id });
  expect(asked()?.body.model).toBe("b");
  expect(toldBy()).toContain("Be brief.");
  const { items } = await (await callApi("GET", "/api/conversations")).json();
  expect(items[0]).not.toHaveProperty("choice");
});

test("instructions for everything come before those of the conversation; a message names others for its answer alone", async () => {
  const set = (instructions: string) => callApi("PATCH", "/api/settings", { instructions });
  expect((await (await set("Use metric units.")).json()).instructions).toBe("Use metric units.");
  const { conversationId } = await ask({ instructions: "Answer in verse." });
  const told = toldBy();
  const first = systemIn(asked());
  expect(told.indexOf("assistant in Meguri")).toBeLessThan(told.indexOf("Use metric units."));
  expect(told.indexOf("Use metric units.")).toBeLessThan(told.indexOf("Answer in verse."));
  await ask({ conversationId, instructions: "Answer in one word." });
  expect(toldBy()).toContain("Answer in one word.");
  expect(toldBy()).not.toContain("verse");
  await ask({ conversationId });
  // The same prompt as before, so that a provider finds it in its cache.
  expect(systemIn(asked())).toBe(first);
  await set("");
  await ask({ conversationId, instructions: "" });
  expect(toldBy()).not.toContain("<instructions>");
});

test("a workflow agent is told the same before its own instruction", async () => {
  const { conversationId } = await ask({ instructions: "Answer in verse." });
  await ask({ conversationId, agent: "plan" });
  const told = server.requests.slice(-2).map(({ body }) => JSON.stringify(body.messages));
  for (const text of told) expect(text).toContain("Answer in verse.");
});

test("instructions that are too long are refused by the name of their field, counted in bytes", async () => {
  const { conversationId } = await ask({});
  const fits = "あ".repeat(34_133);
  const tooLong = `${fits}あ`;
  expect((await choose(conversationId, { instructions: fits })).status).toBe(200);
  const why = "must have at most 100 KB; shorten it.";
  expect(await errorOf(await choose(conversationId, { instructions: tooLong }))).toEqual([
    400,
    `choice.instructions: ${why}`,
  ]);
  expect(await errorOf(await callApi("PATCH", "/api/settings", { instructions: tooLong }))).toEqual([
    400,
    `instructions: ${why}`,
  ]);
  const chat = { conversationId, message: { text: "x" }, instructions: tooLong };
  expect(await errorOf(await callApi("POST", "/api/chat", chat))).toEqual([400, `instructions: ${why}`]);
  expect((await choiceOf(conversationId))?.instructions).toBe(fits);
});

test("a conversation whose model's provider is gone says so, and goes on with another one", async () => {
  const { conversationId } = await ask({});
  expect((await choose(conversationId, { model: "google/gone" })).status).toBe(200);
  const [status, message] = await errorOf(
    await callApi("POST", "/api/chat", { conversationId, message: { text: "x" } }),
  );
  expect(status).toBe(400);
  expect(message).toMatch(/^model: /);
  await ask({ conversationId, model: "openai/b" });
  expect(await choiceOf(conversationId)).toEqual({ model: "openai/b" });
});
