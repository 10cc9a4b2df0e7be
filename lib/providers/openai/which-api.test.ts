import { afterEach, expect, test } from "vitest";
import { withRetry } from "@/lib/agent/with-retry";
import type { EndpointApi } from "@/lib/protocol/settings";
import { openProviders } from "@/lib/providers/providers";
import { type LearnedModel, openModelMemory } from "@/lib/providers/shared/model-memory";
import { startBothApisServer } from "@/lib/providers/testing/both-apis-server";
import { callTools, fail, type Step, say } from "@/lib/providers/testing/steps";
import { callsOf, collect, kinds, textOf, tool, turn, user } from "@/lib/providers/testing/turn";
import type { WireServer } from "@/lib/providers/testing/wire-server";
import type { ApiChoice } from "./which-api";

let server: WireServer | undefined;
afterEach(() => server?.close());

const asked = (more = {}) => turn([user("Hi")], { tools: [tool("a__one")], ...more });

interface Does {
  chat: Step[];
  responses: Step[];
}

/** A model of a gateway whose two APIs do these steps each time; `kept` is what was learned of it before. */
async function open(
  { chat, responses }: Does,
  { api, kept }: { api?: EndpointApi; kept?: LearnedModel } = {},
) {
  const started = await startBothApisServer(({ path }) => (path.endsWith("/responses") ? responses : chat));
  server = started;
  const key = `${started.url} company/smart`;
  let all: Record<string, LearnedModel> = {};
  const modelMemory = openModelMemory(kept && { [key]: kept }, (changed) => {
    all = changed;
  });
  const access = { openai: { apiKey: "sk-key", baseURL: started.url, ...(api && { api }) } };
  return {
    provider: openProviders({ access }, { modelMemory }).provider("openai/company/smart"),
    paths: () => started.requests.map(({ path }) => path.replace("/v1/", "")),
    bodies: () => started.requests.map(({ body }) => body),
    learned: () => all[key],
  };
}

const wants = (message: string, param: string | null = null): Step[] => [
  fail(400, message, { body: { error: { message, type: "invalid_request_error", param, code: null } } }),
];
const gpt54 =
  "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.";
const gpt56 =
  "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
const none = [fail(404, "Not Found", { body: { detail: "Not Found" } })];

test.each([
  ["of gpt-5.4", wants(gpt54)],
  ["of gpt-5.6, about a parameter that nobody sent", wants(gpt56, "reasoning_effort")],
  ["of a gateway that appends an id", wants(`${gpt56} (request id: 20261122a7)`, "reasoning_effort")],
  [
    "of a model that has nothing else",
    [fail(404, "This model is only supported in v1/responses and not in v1/chat/completions.")],
  ],
])("the refusal %s changes over to Responses, which is remembered", async (_what, chat) => {
  const { provider, paths, bodies, learned } = await open({
    chat,
    responses: [callTools({ name: "a__one" })],
  });
  const first = await collect(provider, asked());
  expect(first.error).toBeUndefined();
  expect(callsOf(first.chunks)).toMatchObject([{ name: "a__one" }]);
  await collect(provider, asked());
  expect(paths()).toEqual(["chat/completions", "responses", "responses"]);
  expect(bodies()[0]).not.toHaveProperty("reasoning_effort");
  expect(learned()).toMatchObject({ api: "responses" });
});

test("a refusal that names the effort shows that the model reasons, whatever its name is", async () => {
  const { provider, bodies, learned } = await open({
    chat: wants(gpt56, "reasoning_effort"),
    responses: [say("Hi.")],
  });
  await collect(provider, asked());
  expect(bodies()[1]).toMatchObject({ include: ["reasoning.encrypted_content"], store: false });
  expect(learned()).toEqual({ api: "responses", reasons: true });
});

test("what was learned holds after a restart", async () => {
  const does = { chat: wants(gpt54), responses: [say("Hi.")] };
  const before = await open(does);
  await collect(before.provider, asked());
  const kept = before.learned();
  await server?.close();
  const after = await open(does, { ...(kept && { kept }) });
  expect(textOf((await collect(after.provider, asked())).chunks)).toBe("Hi.");
  expect(after.paths()).toEqual(["responses"]);
});

test.each([404, 405])("a %i of /responses changes back to chat completions", async (status) => {
  const gone = [fail(status, "Not Found", { body: { detail: "Not Found" } })];
  const kept = { api: "responses" as const, reasons: true };
  const { provider, paths, learned } = await open({ chat: [say("Hi.")], responses: gone }, { kept });
  for (let round = 0; round < 2; round++)
    expect(textOf((await collect(provider, asked())).chunks)).toBe("Hi.");
  expect(paths()).toEqual(["responses", "chat/completions", "chat/completions"]);
  expect(learned()).toEqual({ api: "chat", reasons: true });
});

test("a model that is not there is no reason to change over", async () => {
  const message = "The model `smart` does not exist or you do not have access to it.";
  const gone = [fail(404, message, { body: { error: { message, code: "model_not_found" } } })];
  const { provider, paths } = await open({ chat: gone, responses: gone }, { api: "responses" });
  expect(String((await collect(provider, asked())).error)).toContain("has no model company/smart");
  expect(paths()).toEqual(["responses"]);
});

test("when both refuse, few requests show it, and nothing is learned of the API", async () => {
  const { provider, paths, learned } = await open({ chat: wants(gpt56), responses: none });
  const { error, chunks } = await collect(withRetry(provider, { delayMs: 1 }), asked());
  expect(kinds(chunks)).toBe("");
  expect(error).toMatchObject({ name: "ProviderError", code: "bad_response" });
  expect(String(error)).toMatch(
    /company\/smart asks for the Responses API, which the model server does not have at http:\S+\/v1\. Set its tool calls to "As JSON" .* It said: Function tools/,
  );
  expect(paths()).toEqual(["chat/completions", "responses"]);
  expect(learned()?.api).toBeUndefined();
});

test("the effort that is set goes to either API, and is kept when both refuse", async () => {
  const change = await open({ chat: wants(gpt56, "reasoning_effort"), responses: [say("Hi.")] });
  await collect(change.provider, { ...asked(), effort: "high" });
  expect(change.bodies()[0]).toMatchObject({ reasoning_effort: "high" });
  expect(change.bodies()[1]).toMatchObject({ reasoning: { effort: "high" } });
  await server?.close();
  const { provider, paths, bodies } = await open({ chat: wants(gpt56, "reasoning_effort"), responses: none });
  const { error } = await collect(provider, { ...asked(), effort: "high" });
  expect(String(error)).toContain("asks for the Responses API, which the model server does not have");
  expect(paths()).toEqual(["chat/completions", "responses"]);
  expect(bodies()[1]).toMatchObject({ reasoning: { effort: "high" } });
});

/** Of what can be left out, one after the other. */
const refusals = [
  "Your organization must be verified to generate reasoning summaries.",
  "Encrypted content is not supported with this model.",
  "The encrypted content for item rs_1 could not be verified.",
  "Unsupported parameter: 'include'.",
];

test("refused options and both APIs together take four requests at most", async () => {
  let at = 0;
  const started = await startBothApisServer(({ path }) =>
    path.endsWith("/responses") ? [fail(400, refusals[at++ % refusals.length])] : wants(gpt56),
  );
  server = started;
  const access = { openai: { apiKey: "sk-key", baseURL: started.url } };
  const { error } = await collect(openProviders({ access }).provider("openai/x"), asked());
  expect(error).toMatchObject({ code: "bad_response" });
  expect(started.requests).toHaveLength(4);
});

test("another spelling of the largest output is one of the four", async () => {
  let chats = 0;
  let at = 0;
  const started = await startBothApisServer(({ path }) => {
    if (path.endsWith("/responses")) return [fail(400, refusals[at++])];
    return chats++ === 0 ? [fail(400, "Unsupported parameter: 'max_tokens'.")] : wants(gpt56);
  });
  server = started;
  const access = { openai: { apiKey: "sk-key", baseURL: started.url } };
  const { provider } = openProviders({ access });
  const { error } = await collect(provider("openai/gpt-5.6"), { ...asked(), maxOutputTokens: 50 });
  expect(error).toMatchObject({ code: "bad_response" });
  expect(started.requests.map(({ path }) => path.replace("/v1/", ""))).toEqual([
    ...["chat/completions", "chat/completions"],
    ...["responses", "responses"],
  ]);
});

test("an API that is set is never changed: the error names the setting", async () => {
  const chat = await open({ chat: wants(gpt54), responses: [say("Hi.")] }, { api: "chat" });
  expect(String((await collect(chat.provider, asked())).error)).toMatch(
    /asks for the Responses API, but the API of the model server is set to "chat"\. Set it to "auto" in Settings → Models/,
  );
  expect(chat.paths()).toEqual(["chat/completions"]);
  await server?.close();
  const responses = await open({ chat: [say("Hi.")], responses: none }, { api: "responses" });
  expect(String((await collect(responses.provider, asked())).error)).toMatch(
    /has no Responses API at http:\S+, but its API is set to "responses"\. Set it to "auto" in Settings → Models/,
  );
  expect(responses.paths()).toEqual(["responses"]);
});

test("what is set for a named endpoint holds, and its name is in the error; without a key it gets its headers alone", async () => {
  const started = await startBothApisServer(({ path }) =>
    path.endsWith("/responses") ? [say("Hi.")] : wants(gpt54),
  );
  server = started;
  const named = (id: string, api: ApiChoice["api"]) => ({
    ...{ id, api, name: "Lab", baseURL: started.url, source: "settings" as const },
    headers: { "X-Team": "blue" },
  });
  const providers = openProviders({ endpoints: [named("lab", "chat"), named("other", "responses")] });
  const { error } = await collect(providers.provider("lab/smart"), asked());
  expect(String(error)).toContain('the API of Lab is set to "chat"');
  expect(textOf((await collect(providers.provider("other/smart"), asked())).chunks)).toBe("Hi.");
  expect(started.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/responses"]);
  expect(started.requests[1]?.headers).toMatchObject({ "x-team": "blue" });
  expect(started.requests[1]?.headers).not.toHaveProperty("authorization");
});

test("OpenAI's own address is asked through Responses, in every region; others by chat completions", async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(String(input));
    return new Response("{}", { status: 418 });
  };
  for (const baseURL of [undefined, "https://eu.api.openai.com/v1"]) {
    const access = { openai: { apiKey: "sk-key", ...(baseURL && { baseURL }) } };
    await collect(openProviders({ access }, { fetch }).provider("openai/gpt-5.4"), turn([user("Hi")]));
  }
  expect(asked).toEqual(["https://api.openai.com/v1/responses", "https://eu.api.openai.com/v1/responses"]);
});

test("models that are there on Responses alone are in the menu", async () => {
  const fetch: typeof globalThis.fetch = async () =>
    Response.json({
      data: ["gpt-5.4", "gpt-5.1-codex", "gpt-5-pro", "o4-mini-deep-research"].map((id) => ({ id })),
    });
  const { models } = openProviders({ access: { openai: { apiKey: "sk-key" } } }, { fetch });
  const names = (await models()).filter(({ provider }) => provider === "openai").map(({ name }) => name);
  expect(names.toSorted()).toEqual(["gpt-5-pro", "gpt-5.1-codex", "gpt-5.4"]);
});

test("what was learned is bounded: the model of longest ago gives way", () => {
  let all: Record<string, LearnedModel> = {};
  const memory = openModelMemory({}, (changed) => {
    all = changed;
  });
  for (let index = 0; index < 301; index++) memory.learn(`server model-${index}`, { api: "responses" });
  expect(Object.keys(all)).toHaveLength(300);
  expect(memory.get("server model-0")).toEqual({});
  expect(memory.get("server model-300")).toEqual({ api: "responses" });
});
