import { afterEach, expect, test } from "vitest";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ChatMessage } from "@/lib/protocol/message";
import { openProviders } from "@/lib/providers/providers";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { fail, finish, hang, type Step, say, think, usage } from "@/lib/providers/testing/steps";
import { answer, callsOf, collect, kinds, textOf, tool, turn, user } from "@/lib/providers/testing/turn";
import type { WireOptions } from "@/lib/providers/testing/wire-request";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

const tools = [tool("a__x"), tool("a__y")];

async function llama(script: Script, options?: WireOptions) {
  server = await startOpenAiServer(script, options);
  const providers = openProviders({
    access: { openai: { baseURL: server.url } },
    traits: { "openai/llama": { toolCalls: "json" } },
  });
  return { server, provider: providers.provider("openai/llama") };
}

const json = (value: unknown): Step => say(JSON.stringify(value));
const notices = (chunks: readonly ModelChunk[]) =>
  chunks.flatMap((chunk) => (chunk.type === "notice" ? [[chunk.kind, chunk.message]] : []));

test("the model is told of the tools in words, held to a schema, and no tools go over the wire", async () => {
  const { provider, server } = await llama([[json({ response: "Hi." }), usage(9, 3)]]);
  const { chunks, error } = await collect(provider, turn([user("Hi")], { tools, system: "Be kind." }));
  expect(error).toBeUndefined();
  expect(kinds(chunks)).toBe("text usage");
  expect(textOf(chunks)).toBe("Hi.");
  expect(chunks.at(-1)).toEqual({ type: "usage", stopReason: "end_turn", inputTokens: 9, outputTokens: 3 });
  const body = server.requests[0]?.body as {
    tools?: unknown;
    messages: { role: string; content: string }[];
    response_format: { type: string; json_schema: { schema: { anyOf: unknown[] } } };
  };
  expect(body.tools).toBeUndefined();
  expect(body.messages[0]?.content).toMatch(/^Be kind\.\n\n# How to answer/);
  expect(body.messages[0]?.content).toContain(
    '{"name":"a__x","description":"Does a__x.","input":{"type":"object"}}',
  );
  expect(body.response_format.type).toBe("json_schema");
  expect(JSON.stringify(body.response_format.json_schema.schema)).toContain('"enum":["a__x","a__y"]');
});

test("the text streams while its JSON is open", async () => {
  const { provider } = await llama([[say('{"response": "One two', { pieces: 1 }), hang]]);
  const stop = new AbortController();
  const { chunks, error } = await collect(provider, turn([user("Hi")], { tools, signal: stop.signal }), () =>
    stop.abort(new Error("seen")),
  );
  expect(chunks).toEqual([{ type: "text", content: "One two" }]);
  expect(String(error)).toBe("Error: seen");
});

test("calls and results of before go out as plain text, in turns, the model's own in the form of its answers", async () => {
  const { provider, server } = await llama([
    [
      think("Both."),
      json({
        tool_call: [
          { name: "a__x", input: { 名: "値" } },
          { name: "a__y", input: {} },
        ],
      }),
    ],
    [json({ response: "Done." })],
    [say("Plain.")],
  ]);
  const first = await collect(provider, turn([user("Go")], { tools }));
  expect(kinds(first.chunks)).toBe("reasoning tool_call tool_call usage");
  expect(first.chunks.at(-1)).toMatchObject({ stopReason: "tool_use" });
  const [one, two] = callsOf(first.chunks);
  if (!one || !two) throw new Error("Two calls were expected.");
  const image = { type: "file" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  const history: ChatMessage[] = [
    user("Go"),
    { role: "assistant", parts: [{ type: "reasoning", text: "Both." }, one, two] },
    {
      role: "tool",
      results: [
        answer(one, "1"),
        answer(two, "", { status: "error", content: [{ type: "text", text: "no" }, image] }),
      ],
    },
    user("And?"),
  ];
  await collect(provider, turn(history, { tools }));
  await collect(provider, { ...turn(history, { tools }), toolChoice: "none" });
  const [, second, third] = server.requests.map(({ body }) => body.messages as { content: unknown }[]);
  expect(second?.slice(1)).toEqual([
    { role: "user", content: "Go" },
    {
      role: "assistant",
      content: '{"tool_call":[{"name":"a__x","input":{"名":"値"}},{"name":"a__y","input":{}}]}',
    },
    {
      role: "user",
      content: [
        { type: "text", text: "[Result of a__x]\n1" },
        { type: "text", text: "[Failure of a__y]\nno\n[image/png: shown to the user, not to this model.]" },
        { type: "text", text: "And?" },
      ],
    },
  ]);
  expect(third?.[1]).toMatchObject({
    content: '[Called a__x with {"名":"値"}]\n[Called a__y with {}]',
  });
  expect(server.requests[2]?.body.response_format).toBeUndefined();
});

test("what had to be repaired is said in a notice, before what came of it", async () => {
  const { provider } = await llama([
    [say('```json\n{"tool_call": {"name": "a__x", "input": {"n": 1,}}}\n```')],
  ]);
  const { chunks } = await collect(provider, turn([user("Go")], { tools }));
  expect(kinds(chunks)).toBe("notice tool_call usage");
  expect(notices(chunks)).toEqual([
    ["repair", "The answer of llama was repaired: broken JSON, text around its JSON."],
  ]);
  expect(callsOf(chunks)).toMatchObject([{ name: "a__x", args: { n: 1 } }]);
});

test("a hopeless answer is asked for once more with the error, and both turns are paid for", async () => {
  const { provider, server } = await llama([
    [say("I will look now."), usage(10, 4)],
    [json({ response: "Seen." }), usage(20, 6)],
  ]);
  const { chunks, error } = await collect(provider, turn([user("Go")], { tools }));
  expect(error).toBeUndefined();
  expect(kinds(chunks)).toBe("usage notice text usage");
  expect(chunks[0]).toEqual({ type: "usage", inputTokens: 10, outputTokens: 4 });
  expect(chunks.at(-1)).toEqual({ type: "usage", stopReason: "end_turn", inputTokens: 20, outputTokens: 6 });
  expect(textOf(chunks)).toBe("Seen.");
  expect(notices(chunks)).toEqual([["repair", expect.stringContaining("asked once more")]]);
  const messages = (server.requests[1]?.body.messages ?? []) as { role: string; content: string }[];
  expect(messages.slice(2).map(({ role }) => role)).toEqual(["assistant", "user"]);
  expect(messages[2]?.content).toBe("I will look now.");
  expect(messages[3]?.content).toContain("It holds no JSON object.");
});

test("plain words twice are taken as the answer, broken calls twice are an error", async () => {
  const { provider, server } = await llama((_request, index) =>
    index < 2 ? [say("Just words.")] : [say('{"tool_call": {"name": "a__x", "input": {"path": "/home/an')],
  );
  const words = await collect(provider, turn([user("Go")], { tools }));
  expect(words.error).toBeUndefined();
  expect(kinds(words.chunks)).toBe("usage notice usage notice text usage");
  expect(textOf(words.chunks)).toBe("Just words.");
  expect(words.chunks.at(-1)).toMatchObject({ stopReason: "end_turn" });
  const broken = await collect(provider, turn([user("Go")], { tools }));
  expect(broken.error).toMatchObject({ name: "ProviderError", code: "bad_response" });
  expect(String(broken.error)).toContain("breaks off within a tool call");
  expect(callsOf(broken.chunks)).toEqual([]);
  expect(server.requests).toHaveLength(4);
});

test("a call that breaks off after a text is left out, and that is said", async () => {
  const { provider, server } = await llama([
    [say('{"response": "Looking.", "tool_call": {"name": "a__x", "input": {"path": "/ho')],
  ]);
  const { chunks } = await collect(provider, turn([user("Go")], { tools }));
  expect(kinds(chunks)).toBe("text notice usage");
  expect(textOf(chunks)).toBe("Looking.");
  expect(notices(chunks)[0]?.[1]).toContain("left out");
  expect(chunks.at(-1)).toMatchObject({ stopReason: "end_turn" });
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["a text that is open", '{"response": "Once upon', "Once upon"],
  ["a call that is open", '{"tool_call": {"name": "a__x", "input": {"n": 1}', ""],
  ["plain words", "Once upon", "Once upon"],
])(
  "at the limit of tokens %s keeps its text, runs nothing and is not asked again",
  async (_what, written, text) => {
    const { provider, server } = await llama([[say(written), finish("length")]]);
    const { chunks } = await collect(provider, turn([user("Go")], { tools }));
    expect(textOf(chunks)).toBe(text);
    expect(callsOf(chunks)).toEqual([]);
    expect(chunks.at(-1)).toMatchObject({ type: "usage", stopReason: "max_tokens" });
    expect(server.requests).toHaveLength(1);
  },
);

test("a server that refuses the schema gets the request without it, and is not tried again", async () => {
  const { provider, server } = await llama(({ body }) =>
    body.response_format ? [fail(400, "response_format is not supported")] : [json({ response: "Hi." })],
  );
  for (let round = 0; round < 2; round++) {
    const { chunks, error } = await collect(provider, turn([user("Hi")], { tools }));
    expect(error).toBeUndefined();
    expect(kinds(chunks)).toBe("text usage");
  }
  expect(server.requests.map(({ body }) => !!body.response_format)).toEqual([true, false, false]);
});

test("a request that is wrong in itself says so, and the schema is tried again", async () => {
  const { provider, server } = await llama([[fail(400, "no such thing")]]);
  for (let round = 0; round < 2; round++) {
    const { error } = await collect(provider, turn([user("Hi")], { tools }));
    expect(String(error)).toContain("no such thing");
  }
  expect(server.requests.map(({ body }) => !!body.response_format)).toEqual([true, false, true, false]);
});
