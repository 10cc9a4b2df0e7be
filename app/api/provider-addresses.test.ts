import { afterAll, beforeAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import type { WireServer } from "@/lib/providers/testing/wire-server";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({});

let model: WireServer;
beforeAll(async () => {
  model = await startOpenAiServer([[say("Hello from there.")]]);
});
afterAll(() => model.close());

test("a private address is used only once it is saved, and no longer when it is removed", async () => {
  const access = { apiKey: "sk-test", baseURL: model.url };
  const tryOut = async () => (await callApi("POST", "/api/providers/openai/test", access)).json();
  const { port } = new URL(model.url);
  const refused = {
    ok: false,
    field: "baseURL",
    message: `127.0.0.1 is a private address. Add 127.0.0.1:${port} to PRIVATE_HOSTS if it is meant. An address that is saved in Settings → Models may be reached as well.`,
  };
  expect(await tryOut()).toEqual(refused);
  const meant = async (privateHost: string) =>
    (await callApi("POST", "/api/providers/openai/test", { ...access, privateHost })).json();
  expect(await meant(`127.0.0.1:${port}`)).toEqual({ ok: true, models: 1 });
  expect((await meant("127.0.0.1:1")).error.message).toBe(
    "privateHost: must be the host and the port of baseURL.",
  );
  expect(await tryOut()).toEqual(refused);
  expect((await callApi("PATCH", "/api/settings", { providers: { openai: access } })).status).toBe(200);
  expect(await tryOut()).toEqual({ ok: true, models: 1 });
  const body = { message: { text: "Hi" }, model: "openai/test-model" };
  const read = await readStream(await callApi("POST", "/api/chat", body));
  expect(read.chunks.at(-1)).toMatchObject({ result: { finalText: "Hello from there." } });
  await callApi("PATCH", "/api/settings", { providers: { openai: null } });
  expect(await tryOut()).toEqual(refused);
});
