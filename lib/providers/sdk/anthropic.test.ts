import { afterEach, expect, test } from "vitest";
import type { ChatMessage } from "@/lib/protocol/message";
import { Transcript } from "@/lib/protocol/transcript";
import { openProviders } from "@/lib/providers/providers";
import { redactedThinking, startAnthropicServer } from "@/lib/providers/testing/anthropic-server";
import { callTools, fail, raw, say, think, usage } from "@/lib/providers/testing/steps";
import { answer, callsOf, collect, kinds, textOf, tool, turn, user } from "@/lib/providers/testing/turn";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

async function claude(script: Script, model = "claude-sonnet-5") {
  server = await startAnthropicServer(script);
  const providers = openProviders({
    access: { anthropic: { apiKey: "sk-ant-secret", baseURL: server.url } },
  });
  return { server, providers, provider: providers.provider(`anthropic/${model}`) };
}

const ephemeral = { type: "ephemeral" };
const image = { type: "file" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };

test("text, thoughts and usage come in order; tools, system prompt and the last question are marked for the cache", async () => {
  const { provider, server } = await claude([
    [think("Let me see.", { signature: "s" }), say("Hello you."), usage(12, 7, 4)],
  ]);
  const tools = [tool("a__one"), tool("a__two")];
  const history = [
    user("Hi"),
    { role: "assistant" as const, parts: [{ type: "text" as const, text: "Yes?" }] },
    user("You"),
  ];
  const { chunks, error } = await collect(provider, turn(history, { system: "Be kind.", tools }));
  expect(error).toBeUndefined();
  expect(kinds(chunks)).toBe("reasoning text usage");
  expect(textOf(chunks)).toBe("Hello you.");
  expect(chunks.at(-1)).toEqual({
    type: "usage",
    stopReason: "end_turn",
    inputTokens: 12,
    outputTokens: 7,
    cachedInputTokens: 4,
  });
  const [request] = server.requests;
  expect(request?.headers).toMatchObject({
    "x-api-key": "sk-ant-secret",
    "anthropic-version": "2023-06-01",
  });
  expect(request?.body).toMatchObject({
    model: "claude-sonnet-5",
    stream: true,
    thinking: { type: "adaptive" },
    system: [{ type: "text", text: "Be kind.", cache_control: ephemeral }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
      { role: "user", content: [{ type: "text", text: "You", cache_control: ephemeral }] },
    ],
  });
  expect(
    ((request?.body.tools ?? []) as { cache_control?: unknown }[]).map((one) => one.cache_control),
  ).toEqual([undefined, ephemeral]);
  expect(JSON.stringify(request?.body).split("cache_control")).toHaveLength(4);
});

test("a mark on the last message does not stay on it", async () => {
  const { provider, server } = await claude([[say("Ok.")]]);
  const first = user("One");
  await collect(provider, turn([first]));
  await collect(
    provider,
    turn([first, { role: "assistant", parts: [{ type: "text", text: "1" }] }, user("Two")]),
  );
  const [, second] = server.requests;
  const sent = (second?.body.messages ?? []) as unknown[];
  expect(JSON.stringify(sent[2])).toContain("cache_control");
  expect(JSON.stringify(sent[0])).not.toContain("cache_control");
});

test("signatures of thoughts go back with parallel calls and their results, hidden thoughts too", async () => {
  const { provider, server } = await claude([
    [
      think("Two at once.", { pieces: 2, signature: "sig-1" }),
      raw(redactedThinking(7, "secret-blob")),
      say("Looking."),
      callTools({ name: "a__one", args: { 名: "値" } }, { name: "a__two", written: "" }),
    ],
    [say("Done.")],
  ]);
  const tools = [tool("a__one"), tool("a__two")];
  const first = await collect(provider, turn([user("Go")], { tools }));
  expect(kinds(first.chunks)).toBe("reasoning text tool_call tool_call usage");
  expect(first.chunks.at(-1)).toMatchObject({ stopReason: "tool_use" });
  const [one, two] = callsOf(first.chunks);
  if (!one || !two) throw new Error("Two calls were expected.");

  const record = new Transcript([user("Go")]);
  for (const chunk of first.chunks) record.add(chunk);
  for (const result of [answer(one, "1"), answer(two, "no", { status: "error" })])
    record.add({ type: "tool_result", result, durationMs: 1 });
  await collect(provider, turn(record.history(), { tools }));
  expect(server.requests[1]?.body.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Go" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Two at once.", signature: "sig-1" },
        { type: "redacted_thinking", data: "secret-blob" },
        { type: "text", text: "Looking." },
        { type: "tool_use", id: one.id, name: "a__one", input: { 名: "値" } },
        { type: "tool_use", id: two.id, name: "a__two", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: one.id, content: "1" },
        {
          type: "tool_result",
          tool_use_id: two.id,
          content: "no",
          is_error: true,
          cache_control: ephemeral,
        },
      ],
    },
  ]);
});

test("images of a question and of a result reach the model", async () => {
  const { provider, server } = await claude([[callTools({ name: "a__look" })], [say("A cat.")]]);
  const asked: ChatMessage = { role: "user", parts: [{ type: "text", text: "Look" }, image] };
  const tools = [tool("a__look")];
  const { chunks } = await collect(provider, turn([asked], { tools }));
  const [call] = callsOf(chunks);
  if (!call) throw new Error("A call was expected.");
  const results = [answer(call, "Here.", { content: [{ type: "text", text: "Here." }, image] })];
  await collect(
    provider,
    turn([asked, { role: "assistant", parts: [call] }, { role: "tool", results }], { tools }),
  );
  const sent = { type: "image", source: { type: "base64", media_type: "image/png", data: image.data } };
  const [question, , round] = (server.requests[1]?.body.messages ?? []) as {
    content: { content?: unknown[] }[];
  }[];
  expect(question?.content[1]).toMatchObject(sent);
  expect(round?.content[0]?.content).toContainEqual(sent);
});

test("an older model thinks within a budget, and not where an answer of this turn came without a thought of its own", async () => {
  const { provider, server } = await claude([[say("Ok.")]], "claude-sonnet-4-5");
  const [call] = callsOf([
    { type: "tool_call", call: { type: "tool_call", id: "call_1" as never, name: "a__x", args: {} } },
  ]);
  if (!call) throw new Error("A call was expected.");
  const round = (signature: string): ChatMessage[] => [
    user("Go"),
    { role: "assistant", parts: [{ type: "reasoning", text: "Hm.", signature }, call] },
    { role: "tool", results: [answer(call, "1")] },
  ];
  // What was said after results goes with them, as one message of the user.
  const steered = [...round("google:s"), user("Shorter."), user("And in Japanese.")];
  // Nor does an answer stand between that was stopped in its first thought: it is not sent.
  const thought = { type: "reasoning" as const, text: "Hm.", signature: "anthropic:t" };
  const cutOff = [...round("google:s"), { role: "assistant" as const, parts: [thought] }, user("Go on.")];
  for (const history of [[user("Hi")], round("anthropic:s"), round("google:s"), steered, cutOff])
    await collect(provider, turn(history));
  await collect(provider, { ...turn([user("Hi")], { tools: [tool("a__x")] }), toolChoice: { name: "a__x" } });
  const asked = server.requests.map(({ body }) => body.thinking);
  const enabled = { type: "enabled", budget_tokens: 8_000 };
  expect(asked).toEqual([enabled, enabled, undefined, undefined, undefined, undefined]);
  expect(server.refusals).toEqual([]);
  expect(server.requests[5]?.body.tool_choice).toMatchObject({ type: "tool", name: "a__x" });
});

test("a model that cannot think is not asked for its thoughts", async () => {
  const { provider, server } = await claude([[say("Ok.")]], "claude-3-haiku-20240307");
  await collect(provider, turn([user("Hi")]));
  expect(server.requests[0]?.body).not.toHaveProperty("thinking");
});

test.each([
  ["overloaded", [fail(529, "Overloaded")], "unavailable", /had a server error \(529\)/],
  [
    "too long",
    [fail(400, "prompt is too long: 210000 tokens > 200000 maximum")],
    "context_overflow",
    /longer than/,
  ],
])("%s is an error in plain words", async (_what, steps, code, says) => {
  const { provider } = await claude([steps]);
  const { error } = await collect(provider, turn([user("Hi")]));
  expect(error).toMatchObject({ name: "ProviderError", code });
  expect(String(error)).toMatch(says);
});

test("its models stand in the list, and an address without /v1 is right as well", async () => {
  server = await startAnthropicServer([[say("Hi.")]], { models: ["claude-opus-4-8", "claude-sonnet-5"] });
  const baseURL = server.url.replace(/\/v1$/, "/");
  const providers = openProviders({ access: { anthropic: { apiKey: "k", baseURL } } });
  const models = (await providers.models()).filter(({ provider }) => provider === "anthropic");
  expect(models.map(({ id }) => id)).toEqual(["anthropic/claude-sonnet-5", "anthropic/claude-opus-4-8"]);
  expect(models[0]?.capabilities).toMatchObject({ tools: true, images: true, reasoning: true });
  const { chunks } = await collect(providers.provider("anthropic/claude-sonnet-5"), turn([user("Hi")]));
  expect(textOf(chunks)).toBe("Hi.");
});
