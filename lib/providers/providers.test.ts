import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openProviders } from "./providers";
import { startGeminiServer } from "./testing/gemini-server";
import { startOpenAiServer } from "./testing/openai-server";
import { say } from "./testing/steps";
import { collect, textOf, turn, user } from "./testing/turn";
import { UnknownModelError } from "./types";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const kept = <S extends { close(): Promise<void> }>(server: S): S => {
  closing.push(() => server.close());
  return server;
};

/** A server that answers every request in one way, and counts them. */
async function plainServer(status: number, body: string | undefined) {
  let requests = 0;
  const server: Server = createServer((_request, response) => {
    requests++;
    if (body !== undefined) response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  kept({
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, count: () => requests };
}

/** An address of this machine where nothing listens. */
async function deadUrl(): Promise<string> {
  const server = await startOpenAiServer([]);
  await server.close();
  return new URL(server.url).origin;
}

test("all models that can be had stand in one list, the demo last", async () => {
  const gemini = kept(
    await startGeminiServer([], { models: ["gemini-3-pro", "gemini-2.5-flash", "gemini-3-pro-image"] }),
  );
  const openai = kept(await startOpenAiServer([], { models: ["org/model", "text-embedding-3"] }));
  const ollama = kept(await startOpenAiServer([], { models: ["qwen3:8b"] }));
  const providers = openProviders({
    access: {
      google: { apiKey: "k", baseURL: gemini.url },
      openai: { baseURL: openai.url },
      ollama: { baseURL: ollama.url },
    },
  });
  const models = await providers.models();
  expect(models.map(({ id }) => id)).toEqual([
    "google/gemini-2.5-flash",
    "google/gemini-3-pro",
    "openai/org/model",
    "ollama/qwen3:8b",
    "demo/demo",
  ]);
  expect(models.every(({ reachable }) => reachable)).toBe(true);
  expect(models[0]).toMatchObject({
    capabilities: { tools: true, images: true, reasoning: true },
    contextWindow: 1_048_576,
    price: { input: 0.3, cachedInput: 0.03, output: 2.5 },
    efforts: ["none", "low", "medium", "high"],
  });
  expect(models[2]).toMatchObject({ contextWindow: null, price: null, efforts: null });
  expect(models[3]?.capabilities).toMatchObject({ tools: true, images: false });
  expect(models[3]).toMatchObject({ contextWindow: 8192, price: { input: 0, output: 0 }, efforts: [] });
  expect(models.at(-1)?.name).toBe("Demo (no AI)");
  expect(await providers.defaultModel()).toBe("google/gemini-2.5-flash");
});

test("what a person says of a model counts more than its name and its server", async () => {
  const ollama = kept(await startOpenAiServer([[say("Hi")]], { models: ["qwen3:8b"] }));
  const providers = openProviders(
    {
      access: { ollama: { baseURL: ollama.url } },
      traits: { "ollama/qwen3:8b": { toolCalls: "json", images: true, contextWindow: 4_000 } },
    },
    {},
  );
  const [item] = await providers.models();
  expect(item?.capabilities).toMatchObject({ tools: false, images: true });
  expect(item?.traits).toEqual({ toolCalls: "json", images: true, contextWindow: 4_000 });
  expect([item?.contextWindow, providers.window("ollama/qwen3:8b")]).toEqual([4_000, 4_000]);
});

test("an Ollama that nobody configured is found where it runs, and left out where it does not", async () => {
  const ollama = kept(await startOpenAiServer([[say("Hi from Ollama")]], { models: ["qwen3:8b"] }));
  const found = openProviders({}, { localAddress: new URL(ollama.url).origin });
  expect((await found.models()).map(({ id }) => id)).toEqual(["ollama/qwen3:8b", "demo/demo"]);
  expect(await found.defaultModel()).toBe("ollama/qwen3:8b");
  const { chunks } = await collect(found.provider("ollama/qwen3:8b"), turn([user("Hi")]));
  expect(textOf(chunks)).toBe("Hi from Ollama");

  const absent = openProviders({}, { localAddress: await deadUrl() });
  expect((await absent.models()).map(({ id }) => id)).toEqual(["demo/demo"]);
  expect(await absent.defaultModel()).toBe("demo/demo");
});

test("a configured provider that does not answer stays in the list with the reason", async () => {
  const dead = await deadUrl();
  const refusing = await plainServer(403, '{"error":{"message":"no"}}');
  const wrong = await plainServer(404, "<html>");
  const providers = openProviders({
    access: {
      google: { apiKey: "secret-key", baseURL: refusing.url },
      openai: { baseURL: wrong.url },
      ollama: { baseURL: dead },
    },
  });
  const [google, openai, ollama] = await providers.models();
  expect(google).toMatchObject({ id: "google/gemini-2.5-flash", reachable: false });
  expect(google?.reason).toContain("GOOGLE_GENERATIVE_AI_API_KEY");
  expect(google?.reason).not.toContain("secret-key");
  expect(openai).toMatchObject({ id: "openai/default", reachable: false });
  expect(openai?.reason).toContain("OPENAI_BASE_URL");
  expect(ollama).toMatchObject({ id: "ollama/llama3.2", reachable: false });
  expect(ollama?.reason).toContain(`Nothing answers at ${dead}`);
  expect(await providers.defaultModel()).toBe("demo/demo");
});

test.each(["[]", "no JSON", '{"data":[{"name":1}]}'])(
  "an answer that is no list of models is a reason, too: %s",
  async (body) => {
    const server = await plainServer(200, body);
    const [first] = await openProviders(
      { access: { openai: { baseURL: server.url } } },
      { localAddress: server.url },
    ).models();
    expect(first).toMatchObject({ reachable: false });
    expect(first?.reason).toContain("no list of models");
  },
);

test("a server that never answers holds the list up for three seconds and no longer", async () => {
  const silent = await plainServer(200, undefined);
  const providers = openProviders(
    { access: { openai: { baseURL: silent.url } } },
    { localAddress: silent.url },
  );
  const started = Date.now();
  const models = await providers.models();
  expect(Date.now() - started).toBeLessThan(10_000);
  expect(models.map(({ id }) => id)).toEqual(["openai/default", "demo/demo"]);
  expect(models[0]?.reason).toContain("in time");
});

test("the list is asked for once a minute, and by one at a time", async () => {
  let now = 0;
  const server = await plainServer(200, '{"data":[{"id":"one"}]}');
  const localAddress = await deadUrl();
  const providers = openProviders(
    { access: { openai: { baseURL: server.url } } },
    { localAddress, now: () => now },
  );
  await Promise.all([providers.models(), providers.models(), providers.defaultModel()]);
  expect(server.count()).toBe(1);
  now = 59_999;
  await providers.models();
  expect(server.count()).toBe(1);
  now = 60_000;
  await providers.models();
  expect(server.count()).toBe(2);
});

test("after a failure it is asked for again after ten seconds", async () => {
  let now = 0;
  const server = await plainServer(500, "{}");
  const localAddress = await deadUrl();
  const providers = openProviders(
    { access: { openai: { baseURL: server.url } } },
    { localAddress, now: () => now },
  );
  await providers.models();
  now = 9_999;
  await providers.models();
  expect(server.count()).toBe(1);
  now = 10_000;
  await providers.models();
  expect(server.count()).toBe(2);
});

test("the configured default stands in the list even when the server does not name it", async () => {
  const openai = kept(await startOpenAiServer([], { models: ["one"] }));
  const localAddress = await deadUrl();
  const config = { access: { openai: { baseURL: openai.url } }, defaultModel: "openai/hidden" };
  const providers = openProviders(config, { localAddress });
  expect((await providers.models()).map(({ id }) => id)).toEqual([
    "openai/hidden",
    "openai/one",
    "demo/demo",
  ]);
  expect(await providers.defaultModel()).toBe("openai/hidden");
});

test.each([
  ["gemini", "use provider/name"],
  ["google/", "use provider/name"],
  ["/x", "use provider/name"],
  ["google/gemini-2.5-flash", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ["openai/gpt-5", "OPENAI_API_KEY"],
  ["nobody/x", "pick one of ollama, demo"],
  ["demo/other", "pick one of"],
])("%s is no model that is configured, and the error says what to do", (name, says) => {
  const providers = openProviders({});
  expect(() => providers.provider(name)).toThrow(UnknownModelError);
  expect(() => providers.provider(name)).toThrow(says);
});

test("a default model of a provider without a key is refused at the start", () => {
  expect(() => openProviders({ defaultModel: "google/gemini-2.5-flash" })).toThrow(
    "GOOGLE_GENERATIVE_AI_API_KEY",
  );
});
