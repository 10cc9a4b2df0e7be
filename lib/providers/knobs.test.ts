import { afterEach, expect, test } from "vitest";
import type { Provider } from "@/lib/agent/ports";
import type { ModelKnobs, ModelTraits } from "@/lib/protocol/settings";
import { openProviders } from "./providers";
import { startAnthropicServer } from "./testing/anthropic-server";
import { startGeminiServer } from "./testing/gemini-server";
import { startOpenAiServer } from "./testing/openai-server";
import { fail, say } from "./testing/steps";
import { collect, kinds, turn, user } from "./testing/turn";
import type { Script, WireServer } from "./testing/wire-server";

const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const starts = {
  openai: startOpenAiServer,
  ollama: startOpenAiServer,
  google: startGeminiServer,
  anthropic: startAnthropicServer,
};

async function open(id: string, script: Script = [[say("Hi.")]], traits: ModelTraits = {}) {
  const provider = id.slice(0, id.indexOf("/")) as keyof typeof starts;
  const server = await starts[provider](script, { models: [id.slice(id.indexOf("/") + 1)] });
  servers.push(server);
  const providers = openProviders({
    access: { [provider]: { apiKey: "k", baseURL: server.url } },
    traits: { [id]: traits },
  });
  return { server, providers, provider: providers.provider(id) };
}

const ask = (provider: Provider, knobs: ModelKnobs) => collect(provider, { ...turn([user("Hi")]), ...knobs });

test.each<[id: string, knobs: ModelKnobs, sent: object]>([
  [
    "openai/org/model",
    { effort: "minimal", temperature: 0.2, maxOutputTokens: 500, topP: 0.4, seed: 7 },
    { reasoning_effort: "minimal", temperature: 0.2, max_tokens: 500, top_p: 0.4, seed: 7 },
  ],
  ["ollama/qwen3:8b", { effort: "xhigh" }, { reasoning_effort: "high" }],
  [
    "google/gemini-3.1-flash-lite",
    { effort: "low", temperature: 0, maxOutputTokens: 500, topP: 0.4, seed: 7 },
    {
      generationConfig: {
        ...{ temperature: 0, topP: 0.4, seed: 7 },
        maxOutputTokens: 500,
        thinkingConfig: { thinkingLevel: "low", includeThoughts: true },
      },
    },
  ],
  [
    "google/gemini-2.5-flash",
    { effort: "none" },
    { generationConfig: { thinkingConfig: { thinkingBudget: 0, includeThoughts: true } } },
  ],
  [
    "anthropic/claude-sonnet-5",
    { effort: "xhigh", maxOutputTokens: 9_000 },
    { thinking: { type: "adaptive" }, output_config: { effort: "xhigh" }, max_tokens: 9_000 },
  ],
  ["anthropic/claude-haiku-4-5", { effort: "low" }, { thinking: { type: "enabled" } }],
  ["anthropic/claude-haiku-4-5", { temperature: 0.5 }, { temperature: 0.5 }],
  // The SDK knows how much each model can write.
  ["anthropic/claude-opus-4-5", { maxOutputTokens: 900_000 }, { max_tokens: 64_000 }],
])("%s is asked with %j in its own words", async (id, knobs, sent) => {
  const { provider, server } = await open(id);
  expect((await ask(provider, knobs)).error).toBeUndefined();
  expect(server.requests[0]?.body).toMatchObject(sent);
});

test.each(["openai/org/model", "google/gemini-2.5-flash", "anthropic/claude-sonnet-5"])(
  "%s is sent none where none is set",
  async (id) => {
    const { provider, server } = await open(id);
    await ask(provider, {});
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(
      /reasoning_effort|temperature|maxOutput|"max_tokens":null|thinkingLevel|thinkingBudget|output_config/,
    );
  },
);

test("a model that is told which tool to call is not asked to think", async () => {
  const { provider, server } = await open("anthropic/claude-haiku-4-5");
  const tools = [{ name: "a__one", description: "", inputSchema: { type: "object" } }];
  await collect(provider, {
    ...turn([user("Hi")], { tools }),
    toolChoice: { name: "a__one" },
    effort: "high",
  });
  expect(server.requests[0]?.body).not.toHaveProperty("thinking");
});

test("what is set for a model holds where the request does not say otherwise", async () => {
  const { provider, server } = await open("openai/org/model", undefined, {
    effort: "high",
    temperature: 0.1,
  });
  await ask(provider, { effort: "low" });
  expect(server.requests[0]?.body).toMatchObject({ reasoning_effort: "low", temperature: 0.1 });
});

const refusals: [id: string, knobs: ModelKnobs, said: string, field: string][] = [
  [
    "openai/org/model",
    { effort: "minimal", temperature: 1 },
    "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model.",
    "reasoning_effort",
  ],
  [
    "openai/org/model",
    { temperature: 0.2 },
    "Unsupported parameter: 'temperature' is not supported.",
    "temperature",
  ],
  ["openai/org/model", { topP: 0.4 }, "Unsupported parameter: 'top_p' is not supported.", "top_p"],
  ["ollama/llama3.2", { effort: "high" }, '"llama3.2" does not support thinking', "reasoning_effort"],
  [
    "openai/org/model",
    { maxOutputTokens: 9_000 },
    "'max_tokens' is too large: 9000. This model's maximum context length is 4096 tokens and your request has 20 input tokens.",
    "max_tokens",
  ],
  [
    "google/gemini-2.0-flash",
    { effort: "high" },
    "Thinking budget is not supported for this model.",
    "thinkingConfig",
  ],
];

test.each(refusals)(
  "%s refuses %j: it is left out with a notice, and from then on",
  async (id, knobs, said, field) => {
    const { provider, server } = await open(id, ({ body }) =>
      JSON.stringify(body).includes(field) ? [fail(400, said)] : [say("Hi.")],
    );
    const first = await ask(provider, knobs);
    expect(first.error).toBeUndefined();
    expect(kinds(first.chunks)).toBe("notice text usage");
    const asked = server.requests.length;
    expect(kinds((await ask(provider, knobs)).chunks)).toBe("text usage");
    expect(server.requests).toHaveLength(asked + 1);
  },
);

test("a temperature that the SDK does not send is told of once", async () => {
  const { provider, server } = await open("anthropic/claude-sonnet-5");
  expect(kinds((await ask(provider, { temperature: 0.5 })).chunks)).toBe("notice text usage");
  expect(server.requests[0]?.body).not.toHaveProperty("temperature");
  expect(kinds((await ask(provider, { temperature: 0.5 })).chunks)).toBe("text usage");
});

test("a seed that nobody takes is told of once, whichever it is", async () => {
  const anthropic = await open("anthropic/claude-haiku-4-5");
  expect(kinds((await ask(anthropic.provider, { seed: 1 })).chunks)).toBe("notice text usage");
  expect(kinds((await ask(anthropic.provider, { seed: 2 })).chunks)).toBe("text usage");
  const { provider, server } = await open("openai/org/model", ({ body }) =>
    "seed" in body ? [fail(400, "Unrecognized request argument supplied: seed")] : [say("Hi.")],
  );
  expect(kinds((await ask(provider, { seed: 1 })).chunks)).toBe("notice text usage");
  expect(kinds((await ask(provider, { seed: 2 })).chunks)).toBe("text usage");
  expect(server.requests).toHaveLength(3);
});

test("only what is named is left out, and another value of it is tried", async () => {
  const { provider, providers, server } = await open("ollama/gpt-5", ({ body }) =>
    body.reasoning_effort === "low" ? [fail(400, "Unsupported value: 'reasoning_effort'")] : [say("Hi.")],
  );
  await ask(provider, { effort: "low", temperature: 0.3 });
  expect(server.requests.at(-1)?.body).toMatchObject({ temperature: 0.3 });
  await ask(provider, { effort: "high" });
  expect(server.requests.at(-1)?.body).toMatchObject({ reasoning_effort: "high" });
  expect((await providers.models()).find(({ id }) => id === "ollama/gpt-5")?.efforts).not.toContain("low");
});

test.each([
  "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
  "The messages are wrong.",
])("a refusal that dropping would not mend stays one: %s", async (said) => {
  const { provider, server } = await open("openai/gpt-5.4", [[fail(400, said)]]);
  const { error, chunks } = await ask(provider, { effort: "high", temperature: 1 });
  expect(chunks).toEqual([]);
  expect(error).toMatchObject({ name: "ProviderError" });
  expect(server.requests).toHaveLength(1);
});

test("a server that refuses whatever is dropped is asked once for each, and then fails", async () => {
  const said = "temperature, reasoning_effort and max_tokens make no sense.";
  const { provider, server } = await open("openai/org/model", [[fail(400, said)]]);
  const { error } = await ask(provider, { effort: "low", temperature: 1, maxOutputTokens: 5 });
  expect(error).toMatchObject({ code: "bad_response" });
  expect(server.requests.length).toBeLessThanOrEqual(4);
});

test("a server that knows only the other name of the largest output is asked by that", async () => {
  const { provider, server } = await open("openai/org/model", ({ body }) =>
    "max_tokens" in body
      ? [fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")]
      : [say("Hi.")],
  );
  expect(kinds((await ask(provider, { maxOutputTokens: 50 })).chunks)).toBe("text usage");
  await ask(provider, { maxOutputTokens: 60 });
  expect(server.requests).toHaveLength(3);
  expect(server.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 60 });
});
