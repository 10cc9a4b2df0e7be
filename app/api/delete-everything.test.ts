import { afterAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { hang, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { storedWith } from "@/lib/server/testing/stored-files";
import { callApi, readStream, withApplication } from "./testing/call-api";

const words = "words-that-nobody-may-find";
const model = await startOpenAiServer(({ lastUserText }) =>
  lastUserText.startsWith("Hang") ? [say("Thinking "), hang] : [say("Fine.")],
);
afterAll(() => model.close());
const fixture = ["lib/mcp/testing/fixture-server.mjs", "plain"];
withApplication({ plain: { command: "node", args: fixture } }, { OPENAI_BASE_URL: model.url });

const call = async (method: string, path: string, body?: unknown) => {
  const response = await callApi(method, path, body);
  return { status: response.status, body: await response.json() };
};
const ask = (text: string, more: object = {}) =>
  callApi("POST", "/api/chat", { message: { text }, model: "openai/test-model", ...more });
const upload = async () => {
  const headers = { "content-type": "text/plain", "x-filename": "a.txt" };
  return (await (await callApi("POST", "/api/attachments", words.repeat(100), headers)).json()).id;
};
const deleteAll = () => call("POST", "/api/data/delete", { confirm: "delete everything" });
const listed = async (what: string) => (await call("GET", `/api/${what}`)).body.items;

const holding = () => storedWith(words);

test.each([
  {},
  { confirm: "" },
  { confirm: true },
  { confirm: "Delete everything" },
  { confirm: "すべて削除" },
])("%j is refused with the words that are missing, and nothing goes", async (body) => {
  await (await ask("Hello")).text();
  const refused = await call("POST", "/api/data/delete", body);
  expect(refused.status).toBe(400);
  expect(refused.body.error.message).toBe('confirm: must be "delete everything"; nothing was deleted.');
  expect(await listed("conversations")).not.toEqual([]);
});

test("everything that was written goes from the disk; how Meguri is set up stays, and it goes on", async () => {
  const attached = await upload();
  const asked = await readStream(
    await ask(words, { message: { text: words, attachments: [{ id: attached }] } }),
  );
  const shared = await call("POST", `/api/conversations/${asked.conversationId}/shares`, { redact: true });
  expect(shared.status).toBe(201);
  for (const [path, body] of [
    ["/api/projects", { name: words, instructions: words, files: [await upload()] }],
    ["/api/assistants", { name: words, instructions: words }],
    ["/api/prompts", { name: words, text: words }],
    ["/api/mcp/servers/plain/requests", { tool: "echo", name: "Mine", args: { text: words } }],
    ["/api/mcp/presets", { name: "Kept", servers: ["plain"] }],
  ] as const)
    expect((await call("POST", path, body)).status).toBeLessThan(300);
  const rules = [{ pattern: "mcp:plain:*", effect: "allow" }];
  await call("PATCH", "/api/settings", { instructions: words, rules, defaultModel: "openai/test-model" });
  expect((await holding()).length).toBeGreaterThan(2);

  expect(await deleteAll()).toEqual({ status: 200, body: {} });

  expect(await holding()).toEqual([]);
  for (const what of ["conversations", "projects", "assistants", "prompts", "shares"])
    expect(await listed(what)).toEqual([]);
  expect((await call("GET", `/api/share/${shared.body.token}`)).status).toBe(404);
  expect((await call("GET", `/api/conversations/${asked.conversationId}`)).status).toBe(404);
  expect((await callApi("GET", `/api/attachments/${attached}`)).status).toBe(404);
  expect(await listed("mcp/servers/plain/requests")).toEqual([]);
  expect(await listed("mcp/presets")).toMatchObject([{ name: "Kept" }]);
  const settings = { rules, defaultModel: "openai/test-model", instructions: "" };
  expect((await call("GET", "/api/settings")).body).toMatchObject(settings);
  expect((await call("GET", "/api/mcp/servers/plain")).body).toMatchObject({ status: "ready" });
  const next = await readStream(await ask("Hello again"));
  expect(next.status).toBe("completed");
  expect(await listed("conversations")).toHaveLength(1);
});

test("answers that are being written or wait for a person are stopped first, and no log of them comes back", async () => {
  await call("PATCH", "/api/settings", { rules: [] });
  const hanging = readStream(await ask(`Hang on: ${words}`));
  const waiting = await readStream(
    await callApi("POST", "/api/chat", {
      message: { text: `/tool plain__wait {"ms": 1, "why": "${words}"}` },
      model: "demo/demo",
    }),
  );
  expect(waiting.chunks.at(-1)).toMatchObject({ result: { stopReason: "awaiting_approval" } });
  const { runs } = await getDeps();
  expect(runs.count).toBe(1);
  const [answer, second] = await Promise.all([deleteAll(), deleteAll()]);
  expect([answer.status, second.status]).toEqual([200, 200]);
  await hanging;
  expect(runs.isIdle).toBe(true);
  expect(await listed("conversations")).toEqual([]);
  expect(await holding()).toEqual([]);
});

test("while everything is deleted no answer begins", async () => {
  const { runs } = await getDeps();
  runs.deleting = true;
  const refused = await callApi("POST", "/api/chat", { message: { text: "Now?" }, model: "demo/demo" });
  runs.deleting = false;
  expect([refused.status, (await refused.json()).error.code]).toEqual([503, "deleting"]);
});

test("an import that is under way is stopped, and nothing of it comes after", async () => {
  const taken = Promise.withResolvers<void>();
  let pieces = 0;
  // A client that never ends its file. The first piece is made before anybody reads.
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (++pieces > 2) taken.resolve();
      controller.enqueue(new TextEncoder().encode(words));
      return new Promise((resolve) => setTimeout(resolve, 50));
    },
  });
  const importing = callApi("POST", "/api/conversations/import", body);
  await taken.promise;
  expect((await deleteAll()).status).toBe(200);
  const refused = await importing;
  expect([refused.status, (await refused.json()).error.code]).toEqual([503, "deleting"]);
  expect(await holding()).toEqual([]);
});
