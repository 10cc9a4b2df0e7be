import { beforeAll, expect, test } from "vitest";
import { callApi } from "@/app/api/testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "@/app/api/testing/people";
import { makeToken } from "@/app/api/testing/tokens";
import { callTools, say } from "@/lib/providers/testing/steps";
import { servePrograms, testModel } from "./testing/ask-over-openai";

const { openai, answers, asked, send, address } = await servePrograms({}, { AUTH: "accounts" });

let admin: TestPerson;
let ben: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  ben = await join(admin, "Ben");
});

const hello = [{ role: "user" as const, content: "Hello" }];
const ask = (token: string, more: object = {}) =>
  openai(token).chat.completions.create({ model: testModel, messages: hello, ...more, stream: false });

test("without a token, with one that is none and with one of another scope nobody is answered", async () => {
  const refused = async (authorization: string) => {
    const answer = await send(
      "/v1/chat/completions",
      { model: testModel, messages: hello },
      { authorization },
    );
    return [answer.status, (await answer.json()).error];
  };
  expect(await refused("")).toEqual([
    401,
    {
      message: "Send an API token as Authorization: Bearer; it is made in the settings.",
      type: "authentication_error",
      param: null,
      code: "invalid_api_key",
    },
  ]);
  expect(await refused("Bearer mgr_none")).toMatchObject([401, { code: "invalid_api_key" }]);
  // The launch token signs nobody in where there are accounts, and a session is no token.
  expect(await refused("Bearer token-for-tests-only")).toMatchObject([401, { code: "invalid_api_key" }]);
  const { cookie } = admin.headers;
  const byCookie = await fetch(`${address}/v1/models`, { headers: { cookie } });
  expect(byCookie.status).toBe(401);
  for (const scope of ["read", "mcp"] as const) {
    const { value } = await makeToken(ben, [scope]);
    expect(await refused(`Bearer ${value}`)).toMatchObject([
      403,
      { type: "permission_error", code: "insufficient_scope" },
    ]);
    await expect(openai(value).models.list()).rejects.toMatchObject({ status: 403 });
  }
  const { value } = await makeToken(ben, ["chat"]);
  const foreign = { authorization: `Bearer ${value}`, origin: "https://example.com" };
  const answer = await send("/v1/chat/completions", { model: testModel, messages: hello }, foreign);
  expect([answer.status, (await answer.json()).error.code]).toEqual([403, "forbidden_origin"]);
});

test("a token is for what its person has: nobody else's assistants, runs and conversations", async () => {
  answers([say("Good day.")]);
  const body = { name: "Bard", instructions: "Speak in verse.", model: testModel, servers: [] };
  const { id } = await (await ben.call("POST", "/api/assistants", body)).json();
  const [theirs, own] = [await makeToken(admin, ["chat"]), await makeToken(ben, ["chat"])];
  const names = async (token: string) => (await openai(token).models.list()).data.map((one) => one.id);
  expect(await names(own.value)).toContain(`assistant/${id}`);
  expect(await names(theirs.value)).not.toContain(`assistant/${id}`);
  await expect(ask(theirs.value, { model: `assistant/${id}` })).rejects.toMatchObject({
    ...{ status: 404, code: "model_not_found", param: "model" },
  });
  const answer = await ask(own.value, { model: `assistant/${id}`, store: true });
  const run = answer.id.replace("chatcmpl-", "");
  const status = async (person: TestPerson, path: string) => (await person.call("GET", path)).status;
  expect(await status(ben, `/api/runs/${run}`)).toBe(200);
  expect(await status(admin, `/api/runs/${run}`)).toBe(404);
  const { conversationId, program } = await (await ben.call("GET", `/api/runs/${run}`)).json();
  expect(program).toEqual({ wire: "chat", client: "A script" });
  expect(await status(ben, `/api/conversations/${conversationId}`)).toBe(200);
  expect(await status(admin, `/api/conversations/${conversationId}`)).toBe(404);
});

test("a call that was handed to one person's program is nothing to another's", async () => {
  const [theirs, own] = [await makeToken(admin, ["chat"]), await makeToken(ben, ["chat"])];
  const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
  answers([say("A secret."), callTools({ name: "weather" })]);
  const message = (await ask(own.value, { tools })).choices[0]?.message;
  const result = { role: "tool", tool_call_id: message?.tool_calls?.[0]?.id, content: "Rain" };
  // What the program does not send itself comes from what its own person has.
  const messages = [...hello, { ...message, content: null }, result];
  const told = async (token: string) => {
    answers([say("It rains.")]);
    await ask(token, { tools, messages });
    return JSON.stringify(asked()[0]?.body.messages);
  };
  expect(await told(own.value)).toContain("A secret.");
  expect(await told(theirs.value)).not.toContain("A secret.");
});

test("the limits of a person hold for their programs", async () => {
  answers([say("Good day.")]);
  const cleo = await join(admin, "Cleo");
  const { value } = await makeToken(cleo, ["chat"]);
  await ask(value);
  const limits = { tokensPerDay: 1 };
  expect((await admin.call("PATCH", `/api/users/${cleo.id}`, { limits })).status).toBe(200);
  await expect(ask(value)).rejects.toMatchObject({
    status: 429,
    code: "day_limit",
    type: "rate_limit_error",
  });
});

const parts = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const called = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
const asks = { role: "assistant", tool_calls: [called] };
const gives = { role: "tool", tool_call_id: "a", content: "1" };

test.each([
  ["n", { n: 5 }],
  ["model", { model: undefined }],
  ["model", { model: "gpt-4o" }],
  ["model", { model: "assistant/none" }],
  ["model", { model: "agent/none" }],
  ["messages", { messages: [] }],
  ["messages", { messages: [{ role: "system", content: "Hello" }] }],
  ["messages", { messages: [{ role: "user", content: "" }] }],
  ["messages[0].role", { messages: [{ role: "robot", content: "Hello" }] }],
  ["messages[0].content", { messages: [{ role: "user", content: 7 }] }],
  ["messages[0].content[0].type", parts({ type: "input_audio", input_audio: { data: "AA==" } })],
  ["messages[1].tool_call_id", { messages: [...hello, gives] }],
  ["messages[2]", { messages: [...hello, asks] }],
  ["messages[2]", { messages: [...hello, asks, ...hello] }],
  ["messages[3].tool_call_id", { messages: [...hello, asks, gives, gives] }],
  ["temperature", { temperature: 3 }],
  ["max_tokens", { max_tokens: 0 }],
  ["modalities[1]", { modalities: ["text", "audio"] }],
  ["logprobs", { logprobs: true }],
  ["functions", { functions: [{ name: "f" }] }],
  ["stream", { stream: "yes" }],
])("what is wrong with %s is said of it", async (param, more) => {
  const { value } = await makeToken(ben, ["chat"]);
  const body = { model: testModel, messages: hello, ...more };
  const answer = await send("/v1/chat/completions", body, { authorization: `Bearer ${value}` });
  const { error } = await answer.json();
  const status = error.code === "model_not_found" ? 404 : 400;
  expect([answer.status, error.param]).toEqual([status, param]);
  expect(error.type).toBe("invalid_request_error");
  expect(error.message.startsWith(`${param}: `), error.message).toBe(true);
  await ben.call("DELETE", `/api/tokens/${(await newest(ben)).id}`);
});

const newest = async (person: TestPerson) =>
  (await (await person.call("GET", "/api/tokens")).json()).items[0];

test("a body that is no JSON, of another type, too deep or too long has the same form of an error", async () => {
  const { value } = await makeToken(ben, ["chat"]);
  const authorization = `Bearer ${value}`;
  const refused = async (body: string, more: object = {}) => {
    const answer = await send("/v1/chat/completions", body, { authorization, ...more });
    const { error } = await answer.json();
    return [answer.status, error.type, error.code];
  };
  expect(await refused("{")).toEqual([400, "invalid_request_error", "invalid_json"]);
  const type = { "content-type": "text/plain" };
  expect(await refused("{}", type)).toEqual([415, "invalid_request_error", "unsupported_media_type"]);
  const deep = `{"messages":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  expect(await refused(deep)).toEqual([400, "invalid_request_error", "invalid_input"]);
  const long = JSON.stringify({ model: testModel, messages: hello, pad: "x".repeat(100_000_000) });
  expect(await refused(long)).toEqual([413, "invalid_request_error", "body_too_large"]);
});

test("an address that is none has an error of the same form", async () => {
  const { value } = await makeToken(ben, ["chat"]);
  const authorization = `Bearer ${value}`;
  const answer = await callApi("POST", "/v1/embeddings", {}, { authorization });
  expect([answer.status, (await answer.json()).error]).toMatchObject([
    404,
    { type: "invalid_request_error", code: "not_found" },
  ]);
});
