import { afterEach, expect, test } from "vitest";
import { Transcript } from "@/lib/protocol/transcript";
import { openProviders } from "@/lib/providers/providers";
import { startGeminiServer } from "@/lib/providers/testing/gemini-server";
import { callTools, fade, finish, raw, say, think, usage } from "@/lib/providers/testing/steps";
import { answer, callsOf, collect, kinds, textOf, tool, turn, user } from "@/lib/providers/testing/turn";
import type { WireOptions } from "@/lib/providers/testing/wire-request";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

async function gemini(script: Script, options?: WireOptions, model = "gemini-2.5-flash") {
  server = await startGeminiServer(script, options);
  const providers = openProviders({ access: { google: { apiKey: "secret-key-123", baseURL: server.url } } });
  return { server, provider: providers.provider(`google/${model}`) };
}

test("text, reasoning and usage come in order, and the usage ends the turn", async () => {
  const { provider, server } = await gemini([
    [think("Let me see."), say("Hello there, friend."), usage(12, 7, 4)],
  ]);
  const { chunks, error } = await collect(provider, turn([user("Hi")], { system: "Be kind." }));
  expect(error).toBeUndefined();
  expect(kinds(chunks)).toBe("reasoning text usage");
  expect(textOf(chunks)).toBe("Hello there, friend.");
  expect(chunks.filter((chunk) => chunk.type === "text").map((chunk) => chunk.content)).toEqual([
    "Hello ",
    "there, ",
    "friend.",
  ]);
  expect(chunks.at(-1)).toEqual({
    type: "usage",
    stopReason: "end_turn",
    inputTokens: 12,
    outputTokens: 7,
    cachedInputTokens: 4,
  });
  const [request] = server.requests;
  expect(request?.headers["x-goog-api-key"]).toBe("secret-key-123");
  expect(request?.body).toMatchObject({
    systemInstruction: { parts: [{ text: "Be kind." }] },
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  });
});

test("a model that cannot think is not asked for its thoughts", async () => {
  const { provider, server } = await gemini([[say("Hi")]], {}, "gemini-2.0-flash");
  await collect(provider, turn([user("Hi")]));
  expect(server.requests[0]?.body.generationConfig).not.toHaveProperty("thinkingConfig");
});

test("signatures of parallel calls and of text go back on the next turn, in their order", async () => {
  const { provider, server } = await gemini([
    [
      think("Two at once."),
      say("Looking.", { pieces: 1, signature: "sig-text" }),
      callTools(
        { name: "a__one", args: { n: 1 }, signature: "sig-call" },
        { name: "a__two", args: { n: 2 } },
      ),
    ],
    [say("Done.")],
  ]);
  const tools = [tool("a__one"), tool("a__two")];
  const first = await collect(provider, turn([user("Go")], { tools }));
  expect(kinds(first.chunks)).toBe("reasoning text tool_call tool_call usage");
  const [one, two] = callsOf(first.chunks);
  if (!one || !two) throw new Error("Two calls were expected.");
  expect(first.chunks.at(-1)).toMatchObject({ type: "usage", stopReason: "tool_use" });
  expect([one.signature, two.signature]).toEqual(["google:sig-call", undefined]);

  const record = new Transcript([user("Go")]);
  for (const chunk of first.chunks) record.add(chunk);
  for (const result of [answer(one, "1"), answer(two, "2")])
    record.add({ type: "tool_result", result, durationMs: 1 });
  const second = await collect(provider, turn(record.history(), { tools }));
  expect(textOf(second.chunks)).toBe("Done.");
  expect(server.requests[1]?.body.contents).toEqual([
    { role: "user", parts: [{ text: "Go" }] },
    {
      role: "model",
      parts: [
        { text: "Looking.", thoughtSignature: "sig-text" },
        { functionCall: { id: one.id, name: "a__one", args: { n: 1 } }, thoughtSignature: "sig-call" },
        { functionCall: { id: two.id, name: "a__two", args: { n: 2 } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: one.id, name: "a__one", response: { name: "a__one", content: "1" } } },
        { functionResponse: { id: two.id, name: "a__two", response: { name: "a__two", content: "2" } } },
      ],
    },
  ]);
});

test("a signature without text of its own is kept, and one of another provider stays at home", async () => {
  const { provider, server } = await gemini([[say("Hi."), say("", { signature: "late" })], [say("Ok.")]]);
  const { chunks } = await collect(provider, turn([user("Hi")]));
  const record = new Transcript([user("Hi")]);
  for (const chunk of chunks) record.add(chunk);
  expect(record.history().at(-1)).toEqual({
    role: "assistant",
    parts: [{ type: "text", text: "Hi.", signature: "google:late" }],
  });
  await collect(
    provider,
    turn([
      ...record.history(),
      user("And?"),
      { role: "assistant", parts: [{ type: "text", text: "Well.", signature: "openai:alien" }] },
      user("Go on"),
    ]),
  );
  const contents = server.requests[1]?.body.contents as { parts: unknown[] }[];
  expect(contents[1]?.parts).toEqual([{ text: "Hi.", thoughtSignature: "late" }]);
  expect(contents[3]?.parts).toEqual([{ text: "Well." }]);
});

test("an image in a result reaches the model beside exactly one answer to the call", async () => {
  const { provider, server } = await gemini([[callTools({ name: "a__look" })], [say("A cat.")]]);
  const tools = [tool("a__look")];
  const { chunks } = await collect(provider, turn([user("Look")], { tools }));
  const [call] = callsOf(chunks);
  if (!call) throw new Error("A call was expected.");
  const image = { type: "file" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  const results = [answer(call, "Here.", { content: [{ type: "text", text: "Here." }, image] })];
  await collect(
    provider,
    turn([user("Look"), { role: "assistant", parts: [call] }, { role: "tool", results }], { tools }),
  );
  const contents = server.requests[1]?.body.contents as { parts: Record<string, unknown>[] }[];
  const parts = contents[2]?.parts ?? [];
  expect(parts.filter((part) => part.functionResponse)).toHaveLength(1);
  expect(parts).toContainEqual({ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } });
});

test.each(["SAFETY", "PROHIBITED_CONTENT"])("%s is an error in plain words", async (reason) => {
  const { provider } = await gemini([[say("Well "), finish(reason)]]);
  const { chunks, error } = await collect(provider, turn([user("Hi")]));
  expect(textOf(chunks)).toBe("Well ");
  expect(chunks.some((chunk) => chunk.type === "usage")).toBe(false);
  expect(error).toMatchObject({ name: "ProviderError", code: "bad_response" });
  expect(String(error)).toContain("safety filter of Gemini");
});

test("a function call that Gemini itself could not write down is an error", async () => {
  const { provider } = await gemini([[finish("MALFORMED_FUNCTION_CALL")]]);
  const { error } = await collect(provider, turn([user("Hi")]));
  expect(error).toMatchObject({ code: "bad_response" });
  expect(String(error)).toContain("cannot be read");
});

test("an unknown reason is never a success: it is named, and the text that came before it is kept", async () => {
  const { provider } = await gemini([[say("Fine."), finish("SOMETHING_NEW")], [finish("SOMETHING_NEW")]]);
  const first = await collect(provider, turn([user("Hi")]));
  expect(textOf(first.chunks)).toBe("Fine.");
  expect(kinds(first.chunks)).toBe("text");
  expect(first.error).toMatchObject({ code: "bad_response" });
  expect(String(first.error)).toContain("SOMETHING_NEW");
  const { error } = await collect(provider, turn([user("Hi")]));
  expect(error).toMatchObject({ code: "bad_response" });
  expect(String(error)).toContain("SOMETHING_NEW");
});

test("a question that the filter blocks is said to be, with Gemini's word for it", async () => {
  const blocked = {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
    usageMetadata: { promptTokenCount: 3 },
  };
  const { provider } = await gemini([[raw(`data: ${JSON.stringify(blocked)}\n\n`), fade]]);
  const { chunks, error } = await collect(provider, turn([user("Hi")]));
  expect(chunks).toEqual([]);
  expect(error).toMatchObject({ code: "bad_response" });
  expect(String(error)).toMatch(/safety filter of Gemini stopped this answer \(PROHIBITED_CONTENT\)/);
});
