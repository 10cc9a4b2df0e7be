import { afterAll, expect, test } from "vitest";
import type { ConversationDetail } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const fixture = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const model = await startOpenAiServer(() => [say("Fine.")], {});
afterAll(() => model.close());
withApplication({ one: fixture, two: { ...fixture, deferred: true } }, { OPENAI_BASE_URL: model.url });

const ask = async (more: object) => {
  const asked = { message: { text: "Hello" }, model: "openai/test-model", ...more };
  const response = await callApi("POST", "/api/chat", asked);
  expect(response.status).toBe(200);
  return readStream(response);
};
const chosenModel = { model: "openai/test-model" };
const offered = () => model.requests.at(-1)?.tools;
const choiceOf = async (id: string) => {
  const detail: ConversationDetail = await (await callApi("GET", `/api/conversations/${id}`)).json();
  return detail.choice;
};
const own = (server: string) => ["echo", "environment", "wait"].map((tool) => `${server}__${tool}`);

test("a message says which servers' tools come by search only, in place of what their entries say", async () => {
  await ask({});
  expect(offered()).toEqual(["meguri__find_tools", ...own("one")]);
  await ask({ deferred: { one: true, two: false } });
  expect(offered()).toEqual(["meguri__find_tools", ...own("two")]);
  await ask({ deferred: { two: false, unknown: true } });
  expect(offered()).toEqual([...own("one"), ...own("two")]);
  const { config } = await (await callApi("GET", "/api/mcp/servers/two")).json();
  expect(config.deferred).toBe(true);
});

test("a conversation keeps what was chosen for it, from its first message on", async () => {
  const plain = await ask({});
  expect(await choiceOf(plain.conversationId)).toEqual(chosenModel);
  const { conversationId } = await ask({ servers: ["two"], deferred: { two: false } });
  expect(offered()).toEqual(own("two"));
  expect(await choiceOf(conversationId)).toEqual({
    ...chosenModel,
    servers: ["two"],
    deferred: { two: false },
  });
  const choice = { servers: null, deferred: { one: true } };
  const patched = await callApi("PATCH", `/api/conversations/${conversationId}`, { choice });
  expect(patched.status).toBe(200);
  expect(await choiceOf(conversationId)).toEqual({ ...chosenModel, ...choice });
  expect(await choiceOf(plain.conversationId)).toEqual(chosenModel);
});

test("a server that was chosen and is not configured any more is told of once, and the answer goes without it", async () => {
  const read = await ask({ servers: ["one", "gone", "constructor"] });
  expect(read.status).toBe("completed");
  expect(offered()).toEqual(own("one"));
  expect(read.chunks.filter(({ type }) => type === "notice")).toMatchObject([
    {
      kind: "server",
      message: "Removed from the settings, so not used in this answer: gone, constructor.",
    },
  ]);
  expect(read.chunks.map(({ type }) => type).slice(0, 2)).toEqual(["iteration", "notice"]);
});

test("bad choices are refused by the name of their field", async () => {
  const { conversationId } = await ask({});
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, true]));
  for (const [body, field] of [
    [{ deferred: { one: "yes" } }, "deferred.one"],
    [{ deferred: ["one"] }, "deferred"],
    [{ deferred: many(201) }, "deferred"],
  ] as const) {
    const response = await callApi("POST", "/api/chat", { message: { text: "x" }, ...body });
    expect([response.status, (await response.json()).error.message]).toEqual([
      400,
      expect.stringMatching(new RegExp(`^${field}: `)),
    ]);
  }
  for (const [choice, field] of [
    [{ servers: "one", deferred: {} }, "choice.servers"],
    [{ servers: [""], deferred: {} }, "choice.servers.0"],
    [{ servers: null, deferred: {}, more: 1 }, "choice.more"],
    [null, "choice"],
  ] as const) {
    const response = await callApi("PATCH", `/api/conversations/${conversationId}`, { choice });
    expect([response.status, (await response.json()).error.message]).toEqual([
      400,
      expect.stringMatching(new RegExp(`^${field}: `)),
    ]);
  }
  expect(await choiceOf(conversationId)).toEqual(chosenModel);
});
