import { afterAll, beforeEach, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { type Step, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { getDeps } from "@/lib/server/entry/deps";
import { drainRuns } from "@/lib/server/runs/stop-run";
import { callApi, readStream, withApplication } from "./testing/call-api";

const isTitle = ({ body }: WireRequest) => JSON.stringify(body.messages).includes("You name conversations.");
let title: Step[] = [];
const server = await startOpenAiServer(
  (request) =>
    isTitle(request) ? title : [{ type: "usage", input: 10, output: 5 }, say("Kyoto, in three days.")],
  { models: ["a", "gpt-5.2", "o3"] },
);
afterAll(() => server.close());
withApplication({}, { OPENAI_BASE_URL: server.url, DEFAULT_MODEL: "openai/a" });

const set = (settings: object) => callApi("PATCH", "/api/settings", settings);
const titles = () => server.requests.filter(isTitle);
let before = 0;
beforeEach(async () => {
  await set({ titles: "model" });
  title = [{ type: "usage", input: 100, output: 8 }, say("“Three days in Kyoto.”")];
  before = titles().length;
});
const ask = async (more: object) =>
  readStream(await callApi("POST", "/api/chat", { message: { text: "Where to go?" }, ...more }));
const read = async (id: string) => (await callApi("GET", `/api/conversations/${id}`)).json();
const rename = (id: string, to: string) => callApi("PATCH", `/api/conversations/${id}`, { title: to });
/** As the page does: until the server says that no title is to come. */
const titled = (id: string) =>
  expect.poll(async () => (await read(id)).titlePending ?? false, { timeout: 5_000 }).toBe(false);

test("after the first answer the model gives a title, without tools; its cost counts with the run", async () => {
  const { conversationId, runId } = await ask({});
  await titled(conversationId);
  expect((await read(conversationId)).title).toBe("Three days in Kyoto");
  expect(titles().length).toBe(before + 1);
  expect(titles().at(-1)?.tools).toEqual([]);
  expect(titles().at(-1)?.lastUserText).toContain("Kyoto, in three days.");
  const { usage } = await (await callApi("GET", `/api/runs/${runId}`)).json();
  expect(usage).toMatchObject({ inputTokens: 110, outputTokens: 13 });
  await ask({ conversationId });
  await titled(conversationId);
  expect(titles().length).toBe(before + 1);
});

test("a fork that is complete as it begins asks for none", async () => {
  title = [{ type: "fail", status: 400, message: "No." }];
  const { conversationId, runId, chunks } = await ask({});
  await titled(conversationId);
  expect(titles().length).toBe(before + 1);
  const afterSeq = chunks.find(({ type }) => type === "usage")?.id;
  const edit = { text: "Nara." };
  const fork = await (await callApi("POST", `/api/runs/${runId}/fork`, { afterSeq, edit })).json();
  const { status } = await readStream(await callApi("GET", `/api/runs/${fork.runId}/stream`));
  await titled(conversationId);
  expect([status, titles().length]).toEqual(["completed", before + 1]);
});

test("a model that thinks does so as little as it can, whatever the effort of the answer", async () => {
  const asked = async (model: string) => {
    await titled((await ask({ model, options: { effort: "high" } })).conversationId);
    return titles().at(-1)?.body.reasoning_effort;
  };
  expect(await asked("openai/gpt-5.2")).toBe("none");
  expect(await asked("openai/o3")).toBe("low");
  expect(await asked("openai/a")).toBe(undefined);
});

test("the words stay where they are set, in the demo, after an error, and where the model says nothing", async () => {
  const wordsStay = async (more: object) => {
    const { conversationId } = await ask(more);
    await titled(conversationId);
    expect((await read(conversationId)).title).toBe("Where to go?");
    const asked = titles().length;
    await ask({ ...more, conversationId });
    expect(titles().length).toBe(asked);
  };
  await wordsStay({ model: "demo/demo" });
  await set({ titles: "words" });
  await wordsStay({});
  await set({ titles: "model" });
  expect(titles().length).toBe(before);
  title = [say("")];
  await wordsStay({});
  title = [{ type: "fail", status: 400, message: "No." }];
  await wordsStay({});
});

test("a title that a person has typed is never replaced, also while the model writes one", async () => {
  const created = await callApi("POST", "/api/conversations", { title: "My trip" });
  const { id } = await created.json();
  await ask({ conversationId: id });
  await titled(id);
  expect([(await read(id)).title, titles().length]).toEqual(["My trip", before]);

  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  title = [{ type: "until", done: held }, say("Three days in Kyoto")];
  const { conversationId } = await ask({});
  await expect.poll(() => titles().length).toBe(before + 1);
  expect((await read(conversationId)).titlePending).toBe(true);
  await rename(conversationId, "Mine");
  letGo();
  await titled(conversationId);
  expect((await read(conversationId)).title).toBe("Mine");
});

test("an empty conversation gets one too, and a long one is cut", async () => {
  const { id } = await (await callApi("POST", "/api/conversations", {})).json();
  title = [say(`Title: ${"very ".repeat(60)}long`)];
  await ask({ conversationId: id });
  await titled(id);
  const { title: given } = await read(id);
  expect(given).toMatch(/^very very/);
  expect(given.length).toBeLessThanOrEqual(61);
});

test("an empty conversation is called by the first words, where they are set; a title that was given stays", async () => {
  await set({ titles: "words" });
  for (const [given, kept] of [
    [{}, "Where to go?"],
    [{ title: "Mine" }, "Mine"],
  ] as const) {
    const { id } = await (await callApi("POST", "/api/conversations", given)).json();
    await ask({ conversationId: id });
    expect((await read(id)).title).toBe(kept);
  }
});

test("nothing stays hidden in a title, and one without end is neither read to its end nor looked through", async () => {
  const titleOf = async (text: string) => {
    title = [{ type: "text", content: text, pieces: 1, delayMs: 0 }];
    const { conversationId } = await ask({});
    await titled(conversationId);
    return (await read(conversationId)).title;
  };
  expect(await titleOf("Kyoto\u202e \u{e0041}in\u200b three 👩🏽‍💻 days")).toBe("Kyoto in three 👩🏽‍💻 days");
  // A pattern for quotes at its end would look at each of them anew.
  expect(await titleOf(`Days ${"'".repeat(400_000)}x`)).toMatch(/^Days/);
});

test("half a character of a long question is not sent", async () => {
  const text = `${"x".repeat(1_999)}👩`;
  await titled((await ask({ message: { text } })).conversationId);
  expect(titles().at(-1)?.lastUserText).toContain("x\ufffd\n</question>");
});

test("two versions of the first question that are answered beside each other give one title", async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  title = [{ type: "until", done: held }, say("Three days in Kyoto")];
  const { conversationId } = await ask({});
  await expect.poll(() => titles().length).toBe(before + 1);
  await ask({ conversationId, parentId: null });
  expect((await read(conversationId)).titlePending).toBe(true);
  letGo();
  await titled(conversationId);
  expect((await read(conversationId)).title).toBe("Three days in Kyoto");
  // A request of the second version would have come before this one.
  await titled((await ask({})).conversationId);
  expect(titles().length).toBe(before + 2);
});

test("a conversation that is deleted asks no model any more", async () => {
  title = [{ type: "hang" }];
  const { conversationId } = await ask({});
  await expect.poll(() => titles().length).toBe(before + 1);
  expect((await callApi("DELETE", `/api/conversations/${conversationId}`)).status).toBe(200);
  // Long before the time for a title is over.
  const { titling } = (await getDeps()).runs;
  await expect.poll(() => titling.has(conversationId), { timeout: 5_000 }).toBe(false);
  expect(await titles().at(-1)?.ended).toBe("client gone");
});

test("a shutdown waits for no title", async () => {
  title = [{ type: "hang" }];
  const { conversationId } = await ask({});
  await expect.poll(() => titles().length).toBe(before + 1);
  const deps = await getDeps();
  await drainRuns(deps, 1_000);
  deps.runs.draining = false;
  expect(await titles().at(-1)?.ended).toBe("client gone");
  await titled(conversationId);
  expect((await read(conversationId)).title).toBe("Where to go?");
});
