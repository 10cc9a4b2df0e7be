import { afterEach, expect, test } from "vitest";
import type { ChatMessage, ToolCall } from "@/lib/protocol/message";
import { openProviders } from "@/lib/providers/providers";
import { startOpenAiServer, writeCall } from "@/lib/providers/testing/openai-server";
import { callTools, say, think, usage } from "@/lib/providers/testing/steps";
import { answer, callsOf, collect, kinds, textOf, tool, turn, user } from "@/lib/providers/testing/turn";
import type { WireOptions } from "@/lib/providers/testing/wire-request";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

async function compatible(script: Script, options?: WireOptions, model = "openai/org/model") {
  server = await startOpenAiServer(script, options);
  const providers = openProviders({ access: { openai: { apiKey: "sk-secret", baseURL: server.url } } });
  return { server, provider: providers.provider(model) };
}

test("reasoning, text and usage come in order, and the model's name may hold slashes", async () => {
  const { provider, server } = await compatible([[think("Hm."), say("Hello you."), usage(9, 3, 2)]]);
  const { chunks, error } = await collect(provider, turn([user("Hi")], { system: "Be kind." }));
  expect(error).toBeUndefined();
  expect(kinds(chunks)).toBe("reasoning text usage");
  expect(textOf(chunks)).toBe("Hello you.");
  expect(chunks.at(-1)).toEqual({
    type: "usage",
    stopReason: "end_turn",
    inputTokens: 9,
    outputTokens: 3,
    cachedInputTokens: 2,
  });
  expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-secret");
  expect(server.requests[0]?.body).toMatchObject({
    model: "org/model",
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hi" },
    ],
  });
});

test("arguments are told as they come, and never beyond what was written", async () => {
  const written = ['{"pa', 'th": "a', "/b", '"}'];
  const { provider } = await compatible([writeCall("a__x", written)]);
  const { chunks } = await collect(provider, turn([user("Hi")], { tools: [tool("a__x")] }));
  const [call] = callsOf(chunks);
  expect(chunks.filter((chunk) => chunk.type === "tool_input")).toEqual(
    ["", ...written].map((content) => ({ type: "tool_input", id: call?.id, name: "a__x", content })),
  );
  expect(call).toMatchObject({ name: "a__x", args: { path: "a/b" } });
  expect(chunks.at(-1)).toMatchObject({ type: "usage", stopReason: "tool_use" });
});

test("parallel calls come in order with ids of ours, and go back with their results", async () => {
  const { provider, server } = await compatible([
    [
      think("Both."),
      callTools(
        { name: "a__one", args: { 名: "値" }, id: "dup" },
        { name: "a__two", written: "", id: "dup" },
      ),
    ],
    [say("Done.")],
  ]);
  const tools = [tool("a__one"), tool("a__two")];
  const first = await collect(provider, turn([user("Go")], { tools }));
  expect(kinds(first.chunks)).toBe("reasoning tool_call tool_call usage");
  expect(first.chunks.at(-1)).toMatchObject({ stopReason: "tool_use" });
  const [one, two] = callsOf(first.chunks);
  if (!one || !two) throw new Error("Two calls were expected.");
  expect(one).toMatchObject({ name: "a__one", args: { 名: "値" } });
  expect(two).toMatchObject({ name: "a__two", args: {} });
  expect(one.id).not.toBe(two.id);

  const history: ChatMessage[] = [
    user("Go"),
    { role: "assistant", parts: [{ type: "reasoning", text: "Both." }, one, two] },
    { role: "tool", results: [answer(one, "1"), answer(two, "no", { status: "error" })] },
  ];
  await collect(provider, turn(history, { tools }));
  expect(server.requests[1]?.body.messages).toEqual([
    { role: "user", content: "Go" },
    {
      role: "assistant",
      content: null,
      reasoning_content: "Both.",
      tool_calls: [
        { id: one.id, type: "function", function: { name: "a__one", arguments: '{"名":"値"}' } },
        { id: two.id, type: "function", function: { name: "a__two", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: one.id, content: "1" },
    { role: "tool", tool_call_id: two.id, content: "no" },
  ]);
});

test("the reasoning of earlier turns stays at home", async () => {
  const { provider, server } = await compatible([[say("Ok.")]]);
  const past: ChatMessage = {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "Long thoughts." },
      { type: "text", text: "Hi." },
    ],
  };
  await collect(provider, turn([user("Hi"), past, user("And?")]));
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain("Long thoughts");
});

test("images of a result follow in a message of their own for a model that sees, and stay a note for one that does not", async () => {
  const { provider, server } = await compatible([[say("A cat.")]], {}, "openai/qwen2.5-vl:7b");
  const call: ToolCall = { type: "tool_call", id: "call_1" as ToolCall["id"], name: "a__look", args: {} };
  const image = { type: "file" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  const history: ChatMessage[] = [
    user("Look"),
    { role: "assistant", parts: [call] },
    { role: "tool", results: [{ id: call.id, status: "ok", content: [image] }] },
  ];
  await collect(provider, turn(history));
  const blind = openProviders({ access: { openai: { baseURL: server.url } } }).provider("openai/llama3.2");
  await collect(blind, turn(history));
  const [seen, unseen] = server.requests.map(({ body }) => body.messages as { role: string }[]);
  expect(seen?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(JSON.stringify(seen)).toContain("data:image/png;base64,iVBORw0KGgo=");
  expect(unseen?.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(JSON.stringify(unseen)).toContain("not to this model");
});

test("text files are sent as text, and what the wire cannot carry becomes a note", async () => {
  const { provider, server } = await compatible([[say("Ok.")]]);
  const data = Buffer.from("a,b\n1,2").toString("base64");
  const files: ChatMessage = {
    role: "user",
    parts: [
      { type: "text", text: "See:" },
      { type: "file", mediaType: "text/csv", data, name: "t.csv" },
      { type: "file", mediaType: "application/zip", data, name: "t.zip" },
    ],
  };
  const { error } = await collect(provider, turn([files]));
  expect(error).toBeUndefined();
  expect(server.requests[0]?.lastUserText).toContain("a,b\n1,2");
  expect(server.requests[0]?.lastUserText).toContain("t.zip, application/zip: this model cannot read it");
});

test("a history that is cut short anywhere goes out whole", async () => {
  const { provider, server } = await compatible([[say("Ok.")]]);
  const call: ToolCall = { type: "tool_call", id: "call_1" as ToolCall["id"], name: "a__x", args: {} };
  await collect(provider, turn([user("Go"), { role: "assistant", parts: [call] }]));
  const messages = server.requests[0]?.body.messages as { role: string; tool_call_id?: string }[];
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(messages[2]?.tool_call_id).toBe("call_1");
});
