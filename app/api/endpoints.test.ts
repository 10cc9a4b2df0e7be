import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { EndpointChange, ModelList, ProviderTest, SettingsItem } from "@/lib/protocol/settings";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import type { WireServer } from "@/lib/providers/testing/wire-server";
import { storedWith } from "@/lib/server/testing/stored-files";
import { callApi, readStream, withApplication } from "./testing/call-api";

/** How MEGURI_ENDPOINTS names a variable. */
const from = (name: string) => `\${env:${name}}`;
process.env.TEST_LAB_KEY = "sk-from-the-environment-5555";
const lab = { id: "lab", name: "Lab", baseURL: "http://127.0.0.1:9/v1", models: ["lab-1"] };
withApplication({}, { MEGURI_ENDPOINTS: JSON.stringify([{ ...lab, apiKey: from("TEST_LAB_KEY") }]) });

let model: WireServer;
beforeAll(async () => {
  model = await startOpenAiServer([[say("Hello from there.")]]);
});
afterAll(() => model.close());
beforeEach(async () => {
  await patch([]);
});

const key = "sk-a-key-that-nobody-may-read-9876";
const team = "a-team-that-nobody-may-read";
const acme = (): EndpointChange => ({ id: "acme", name: "Acme gateway", baseURL: model.url });

const patch = (endpoints: object[]) => callApi("PATCH", "/api/settings", { endpoints });
const shown = async (): Promise<SettingsItem["endpoints"]> =>
  (await (await callApi("GET", "/api/settings")).json()).endpoints;
const entered = async () => (await shown()).filter(({ source }) => source === "settings");
const error = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
};
const tryOut = async (id: string, body: object): Promise<ProviderTest> =>
  (await callApi("POST", `/api/providers/${id}/test`, body)).json();
const modelIds = async () => {
  const { items } = (await (await callApi("GET", "/api/models")).json()) as ModelList;
  return items.map(({ id }) => id);
};
const ask = (model: string, more: object = {}) =>
  callApi("POST", "/api/chat", { message: { text: "Hi" }, model, ...more });

test("an endpoint that is entered serves at once; its key and headers are never shown nor stored in clear", async () => {
  const answer = await patch([{ ...acme(), api: "chat", apiKey: key, headers: { "X-Team": team } }]);
  const text = await answer.text();
  expect([answer.status, text.includes(key), text.includes(team)]).toEqual([200, false, false]);
  expect(await entered()).toEqual([
    {
      ...{ id: "acme", name: "Acme gateway", baseURL: model.url, api: "chat", source: "settings" },
      ...{ keyEnd: "9876", headerNames: ["X-Team"] },
    },
  ]);
  expect(await modelIds()).toContain("acme/test-model");
  const read = await readStream(await ask("acme/test-model"));
  expect(read.chunks.at(-1)).toMatchObject({ result: { finalText: "Hello from there." } });
  expect(model.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${key}`, "x-team": team });
  for (const secret of [key, team]) expect(await storedWith(secret)).toEqual([]);
});

test("what is absent keeps the stored key and headers, null and an empty object remove them, a new address drops them", async () => {
  await patch([{ ...acme(), apiKey: key, headers: { "X-Team": team } }]);
  await patch([
    { ...acme(), name: "Renamed" },
    { id: "other", name: "Other", baseURL: "https://x.example/v1" },
  ]);
  expect(await entered()).toMatchObject([
    { id: "acme", name: "Renamed", api: "auto", keyEnd: "9876", headerNames: ["X-Team"] },
    { id: "other", keyEnd: null, headerNames: [] },
  ]);
  await patch([{ ...acme(), headers: {} }]);
  expect(await entered()).toMatchObject([{ id: "acme", keyEnd: "9876", headerNames: [] }]);
  await patch([{ ...acme(), apiKey: null }]);
  expect(await entered()).toMatchObject([{ id: "acme", keyEnd: null }]);
  await patch([{ ...acme(), apiKey: key, headers: { "X-Team": team } }]);
  await patch([{ ...acme(), baseURL: `${model.url}/elsewhere` }]);
  expect(await entered()).toMatchObject([{ id: "acme", keyEnd: null, headerNames: [] }]);
  await patch([acme()]);
  expect(await entered()).toMatchObject([{ id: "acme", keyEnd: null, headerNames: [] }]);
});

test("what MEGURI_ENDPOINTS names is shown, used, and changed nowhere else", async () => {
  expect(await shown()).toEqual([
    { ...lab, api: "auto", source: "environment", keyEnd: "5555", headerNames: [] },
  ]);
  expect(await modelIds()).toContain("lab/lab-1");
  expect(await error(await patch([acme(), { ...lab, models: [] }]))).toEqual([
    409,
    "managed_by_environment",
    "endpoints.1.id: lab is set by MEGURI_ENDPOINTS; change it there.",
  ]);
  expect(await entered()).toEqual([]);
});

test("what makes no sense is refused at its field, and changes nothing", async () => {
  await patch([acme()]);
  const before = await shown();
  const wrong: [object[], RegExp][] = [
    [[acme(), acme()], /^endpoints\.1\.id: is the id of another endpoint/],
    [[{ ...acme(), id: "openai" }], /^endpoints\.0\.id: is the id of a built-in provider/],
    [[{ ...acme(), id: "Acme!" }], /^endpoints\.0\.id: must have 1 to 32/],
    [[{ ...acme(), name: " " }], /^endpoints\.0\.name: must not be empty/],
    [[{ ...acme(), baseURL: "localhost:1234" }], /^endpoints\.0\.baseURL: must be a http/],
    [[{ ...acme(), baseURL: "https://me:pass@x/v1" }], /^endpoints\.0\.baseURL: must not hold a user name/],
    [[{ ...acme(), apiKey: "two words" }], /^endpoints\.0\.apiKey: must be the key alone/],
    [[{ ...acme(), api: "soap" }], /^endpoints\.0\.api: /],
    [[{ ...acme(), headers: { "Content-Length": "1" } }], /^endpoints\.0\.headers/],
    [[{ ...acme(), headers: { "x-a": "one\r\ntwo: 2" } }], /^endpoints\.0\.headers\.x-a: must be one line/],
    [[{ ...acme(), models: ["a".repeat(201)] }], /^endpoints\.0\.models\.0: /],
    [Array.from({ length: 51 }, (_, at) => ({ ...acme(), id: `e-${at}` })), /^endpoints: /],
  ];
  for (const [endpoints, message] of wrong)
    expect(await error(await patch(endpoints))).toEqual([
      400,
      "invalid_input",
      expect.stringMatching(message),
    ]);
  expect(await shown()).toEqual(before);
});

test("an endpoint is tried out before it is saved, at a private address only if that is meant", async () => {
  const { host } = new URL(model.url);
  const access = { baseURL: model.url, apiKey: key };
  expect(await tryOut("acme", access)).toMatchObject({
    ok: false,
    field: "baseURL",
    message: expect.stringContaining("is a private address"),
  });
  expect(await tryOut("acme", { ...access, privateHost: host })).toEqual({
    ok: true,
    models: 1,
    listed: true,
  });
  expect(await entered()).toEqual([]);
  expect((await callApi("POST", "/api/providers/acme/test", {})).status).toBe(404);
  expect((await callApi("POST", "/api/providers/Not-An-Id/test", access)).status).toBe(404);
  await patch([{ ...acme(), apiKey: key }]);
  expect(await tryOut("acme", {})).toEqual({ ok: true, models: 1, listed: true });
  expect(await tryOut("acme", { models: ["one", "two"] })).toEqual({ ok: true, models: 2, listed: true });
  expect(await tryOut("lab", {})).toMatchObject({ ok: false, field: "baseURL" });
});

test("the stored key and headers go to their own address alone, in a test too", async () => {
  const seen: string[] = [];
  const other = createServer((request, response) => {
    seen.push(JSON.stringify(request.rawHeaders));
    response.end('{"data":[{"id":"one"}]}');
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  await patch([{ ...acme(), apiKey: key, headers: { "X-Team": team } }]);
  const host = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const moved = { baseURL: `http://${host}/v1`, privateHost: host };
  expect(await tryOut("acme", moved)).toMatchObject({ ok: true });
  expect(await tryOut("acme", { ...moved, apiKey: "sk-for-there" })).toMatchObject({ ok: true });
  expect(seen.map((headers) => [headers.includes(key), headers.includes(team)])).toEqual([
    [false, false],
    [false, false],
  ]);
  expect(seen[1]).toContain("Bearer sk-for-there");
});

test("a conversation whose endpoint is removed says so, loses nothing, and goes on when the endpoint is back", async () => {
  await patch([acme()]);
  const { conversationId, ...first } = await readStream(await ask("acme/test-model"));
  expect(first.chunks.at(-1)).toMatchObject({ result: { finalText: "Hello from there." } });
  await patch([]);
  expect(await error(await ask("acme/test-model", { conversationId }))).toEqual([
    400,
    "unknown_model",
    expect.stringMatching(
      /^model: There is no endpoint "acme" for the model "acme\/test-model": pick one of /,
    ),
  ]);
  const kept = await (await callApi("GET", `/api/conversations/${conversationId}`)).json();
  expect(JSON.stringify(kept.messages)).toContain("Hello from there.");
  expect((await readStream(await ask("demo/demo", { conversationId }))).chunks.at(-1)).toMatchObject({
    type: "result",
  });
  await patch([acme()]);
  expect((await readStream(await ask("acme/test-model", { conversationId }))).chunks.at(-1)).toMatchObject({
    result: { finalText: "Hello from there." },
  });
});
