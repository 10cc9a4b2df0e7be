import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ModelItem, ModelList, ProviderTest, SettingsItem } from "@/lib/protocol/settings";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import type { WireServer } from "@/lib/providers/testing/wire-server";
import { getDeps } from "@/lib/server/entry/deps";
import { storedWith } from "@/lib/server/testing/stored-files";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({}, { PRIVATE_HOSTS: "127.0.0.1:*" });

let model: WireServer;
beforeAll(async () => {
  model = await startOpenAiServer([[{ type: "usage", input: 1_000, output: 500 }, say("Hello from there.")]]);
});
afterAll(() => model.close());

const settings = async (): Promise<SettingsItem> => (await callApi("GET", "/api/settings")).json();
const patch = (body: object) => callApi("PATCH", "/api/settings", body);
const tryOut = async (id: string, body: object): Promise<ProviderTest> =>
  (await callApi("POST", `/api/providers/${id}/test`, body)).json();
const said = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { message: string } }).error.message;

/** A server that answers everything in the same way, until the test has ended. */
async function answering(
  status: number,
  type: string,
  body: string,
): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((_, response) =>
    response.writeHead(status, { "content-type": type }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

const enterKey = (apiKey = "sk-a-key") => patch({ providers: { openai: { apiKey, baseURL: model.url } } });

test("a key that is entered makes its models usable at once, and is never shown nor stored in clear", async () => {
  const key = "sk-a-key-that-nobody-may-read-9876";
  expect(await tryOut("openai", { apiKey: key, baseURL: model.url })).toMatchObject({ ok: true });
  const answer = await enterKey(key);
  const shown = await answer.text();
  expect(shown).not.toContain(key);
  expect((JSON.parse(shown) as SettingsItem).providers).toContainEqual(
    expect.objectContaining({ id: "openai", source: "settings", keyEnd: "9876", baseURL: model.url }),
  );
  const { items } = (await (await callApi("GET", "/api/models")).json()) as ModelList;
  expect(items.map(({ provider }) => provider)).toContain("openai");
  const read = await readStream(
    await callApi("POST", "/api/chat", { message: { text: "Hi" }, model: "openai/test-model" }),
  );
  expect(read.chunks.at(-1)).toMatchObject({ result: { finalText: "Hello from there." } });
  expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
  expect(await storedWith(key)).toEqual([]);
});

test("a kept key is sent to no other address", async () => {
  await enterKey();
  const elsewhere = "http://127.0.0.1:4999/v1";
  const refused = await patch({ providers: { openai: { baseURL: elsewhere } } });
  expect([refused.status, await said(refused)]).toEqual([
    400,
    "providers.openai.apiKey: enter the key again; the one that is kept goes to its own address only.",
  ]);
  expect((await callApi("POST", "/api/providers/openai/test", { baseURL: elsewhere })).status).toBe(400);
});

test("what is wrong with a key or an address is said in words", async () => {
  await using refusing = await answering(
    401,
    "application/json",
    '{"error":{"message":"Incorrect API key"}}',
  );
  await using page = await answering(200, "text/html", "<html>Welcome</html>");
  const messages = [];
  const { url: nobody } = await (async () => {
    await using gone = await answering(200, "text/plain", "");
    return gone;
  })();
  for (const baseURL of [refusing.url, page.url, nobody]) {
    const { ok, message } = await tryOut("openai", { apiKey: "sk-wrong", baseURL });
    expect(ok).toBe(false);
    messages.push(message);
  }
  expect(messages[0]).toMatch(/did not accept the key \(401\)/);
  expect(messages[1]).toMatch(/gave no list of models/);
  expect(messages[2]).toContain(new URL(nobody).host);
  expect(messages.join()).not.toContain("sk-wrong");
  expect(await tryOut("google", {})).toMatchObject({ ok: false });
  expect((await callApi("POST", "/api/providers/nobody/test", {})).status).toBe(404);
});

test("limits of the settings hold for a run whose request does not say otherwise", async () => {
  expect((await patch({ limits: { maxIterations: 1, budget: { toolCalls: 3 } } })).status).toBe(200);
  const read = await readStream(
    await callApi("POST", "/api/chat", { message: { text: "count to 1" }, model: "demo/demo" }),
  );
  const { store } = await getDeps();
  const row = await store.runs.get("local", read.runId);
  expect(row?.options).toEqual({ maxIterations: 1, budget: { toolCalls: 3 } });
  expect((await patch({ limits: {} })).status).toBe(200);
  expect((await settings()).limits).toEqual({});
});

test("a price puts the cost on what a turn used", async () => {
  await enterKey();
  await patch({ prices: {} });
  const { prices } = await settings();
  expect(prices.length).toBeGreaterThan(5);
  expect(prices.every(({ source }) => source === "shipped")).toBe(true);
  await patch({ prices: { "openai/test-model": { input: 2, output: 10 } } });
  expect((await settings()).prices[0]).toEqual({
    model: "openai/test-model",
    input: 2,
    output: 10,
    source: "yours",
  });
  const read = await readStream(
    await callApi("POST", "/api/chat", { message: { text: "Hi" }, model: "openai/test-model" }),
  );
  const result = read.chunks.at(-1);
  if (result?.type !== "result") throw new Error("No result.");
  const { inputTokens, outputTokens, cost } = result.result.usage;
  expect(cost).toBeCloseTo((inputTokens * 2 + outputTokens * 10) / 1e6, 12);
  expect(cost).toBeGreaterThan(0);
});

const items = async (): Promise<ModelItem[]> =>
  ((await (await callApi("GET", "/api/models")).json()) as ModelList).items;
const testModel = async () => (await items()).find(({ id }) => id === "openai/test-model");

test("window and price of a model that nobody knows can be typed in, and taken back field by field", async () => {
  await enterKey();
  await patch({ prices: {} });
  expect(await testModel()).toMatchObject({ contextWindow: null, price: null, efforts: null });
  await patch({ models: { "openai/test-model": { contextWindow: 32_000, images: false } } });
  await patch({
    models: { "openai/test-model": { effort: "low" } },
    prices: { "openai/*": { input: 1, output: 2 } },
  });
  expect(await testModel()).toMatchObject({
    contextWindow: 32_000,
    price: { input: 1, output: 2 },
    traits: { contextWindow: 32_000, images: false, effort: "low" },
  });
  await patch({ models: { "openai/test-model": { contextWindow: null } }, prices: {} });
  expect(await testModel()).toMatchObject({ contextWindow: null, price: null, traits: { effort: "low" } });
  await patch({ models: { "openai/test-model": null } });
  expect(await testModel()).not.toHaveProperty("traits");
});

test("effort, temperature and largest output of a request reach the model, and hold for the whole run", async () => {
  await enterKey();
  const options = { effort: "low", temperature: 0.4, maxOutputTokens: 700 };
  await patch({ models: { "openai/test-model": { effort: "high", contextWindow: 9_000 } } });
  const ask = (more: object) =>
    callApi("POST", "/api/chat", { message: { text: "Hi" }, model: "openai/test-model", ...more });
  const { runId } = await readStream(await ask({ options }));
  expect(model.requests.at(-1)?.body).toMatchObject({
    reasoning_effort: "low",
    temperature: 0.4,
    max_tokens: 700,
  });
  expect((await (await getDeps()).store.runs.get("local", runId))?.options).toMatchObject(options);
  await readStream(await ask({}));
  expect(model.requests.at(-1)?.body).toMatchObject({ reasoning_effort: "high" });
  const refused = await ask({ options: { effort: "huge" } });
  expect([refused.status, await said(refused)]).toEqual([400, expect.stringMatching(/^options\.effort: /)]);
  await patch({ models: { "openai/test-model": null } });
});

test("a limit of money over a model without a price asks before the model is asked", async () => {
  await enterKey();
  await patch({ prices: {} });
  const asked = model.requests.length;
  const ask = { message: { text: "Hi" }, model: "openai/test-model", options: { budget: { cost: 1 } } };
  const { chunks } = await readStream(await callApi("POST", "/api/chat", ask));
  expect(chunks).toContainEqual(expect.objectContaining({ type: "budget_request", limit: "price", of: 1 }));
  expect(chunks.at(-1)).toMatchObject({ result: { stopReason: "budget" } });
  expect(model.requests).toHaveLength(asked);
  await patch({ prices: { "openai/test-model": { input: 1, output: 1 } } });
  expect((await readStream(await callApi("POST", "/api/chat", ask))).chunks.at(-1)).toMatchObject({
    result: { stopReason: "end_turn" },
  });
});

test("what makes no sense is refused with its field, and changes nothing", async () => {
  const before = await settings();
  const wrong: [object, RegExp][] = [
    [{ providers: { openai: { apiKey: "two words" } } }, /^providers\.openai\.apiKey: must be the key alone/],
    [{ providers: { openai: { baseURL: "ftp://x" } } }, /^providers\.openai\.baseURL: must be a http/],
    [{ providers: { openai: { apiKey: "k", baseURL: "http://me:pass@x" } } }, /must not hold a user name/],
    [{ providers: { nobody: { apiKey: "x" } } }, /^providers/],
    [{ limits: { maxIterations: 0 } }, /^limits\.maxIterations: /],
    [{ limits: { budget: { tokens: -1 } } }, /^limits\.budget\.tokens: /],
    [{ prices: { "openai/x": { input: -1, output: 2 } } }, /^prices\.openai\/x\.input: /],
    [{ prices: { x: { input: 1, output: 2 } } }, /^prices\.x/],
    [{ models: { "openai/x": { effort: "huge" } } }, /^models\.openai\/x\.effort: /],
    [{ models: { "openai/x": { temperature: 3 } } }, /^models\.openai\/x\.temperature: /],
    [{ models: { "openai/x": { contextWindow: 10 } } }, /^models\.openai\/x\.contextWindow: /],
  ];
  for (const [body, message] of wrong) {
    const response = await patch(body);
    expect([response.status, await said(response)]).toEqual([400, expect.stringMatching(message)]);
  }
  expect(await settings()).toEqual(before);
});

test("a provider that is removed is gone, and the environment counts again", async () => {
  await enterKey();
  await patch({ providers: { openai: null } });
  expect((await settings()).providers.find(({ id }) => id === "openai")).toEqual({
    id: "openai",
    name: "OpenAI-compatible server",
    shortName: "OpenAI",
    help: expect.stringContaining("vLLM"),
    addressHint: expect.stringContaining("/v1"),
    takesKey: true,
    isLocal: false,
    source: null,
    keyEnd: null,
    baseURL: null,
  });
  const refused = await callApi("POST", "/api/chat", { message: { text: "Hi" }, model: "openai/test-model" });
  expect(refused.status).toBe(400);
});
