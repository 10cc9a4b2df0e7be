import { afterEach, expect, test } from "vitest";
import { Transcript } from "@/lib/protocol/transcript";
import { openProviders } from "@/lib/providers/providers";
import { event, startResponsesServer } from "@/lib/providers/testing/responses-server";
import { callTools, fade, fail, fault, finish, raw, say, think, usage } from "@/lib/providers/testing/steps";
import { answer, callsOf, collect, kinds, textOf, tool, turn, user } from "@/lib/providers/testing/turn";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

async function open(script: Script, model = "gpt-5.4") {
  server = await startResponsesServer(script);
  const access = { openai: { apiKey: "secret-key-123", baseURL: server.url, api: "responses" as const } };
  return { server, provider: openProviders({ access }).provider(`openai/${model}`) };
}

const send = (type: string, more: object) => raw(`data: ${event(type, more)}\n\n`);
const inputOf = (at: number) => (server?.requests[at]?.body.input ?? []) as Record<string, unknown>[];

test("text, reasoning and usage come in order, and nothing is stored at OpenAI", async () => {
  const { provider, server } = await open([
    [think("Let me see.", { signature: "sealed" }), say("Hello there, friend."), usage(12, 7, 4)],
  ]);
  const { chunks, error } = await collect(provider, turn([user("Hi")], { system: "Be kind." }));
  expect(error).toBeUndefined();
  expect(kinds(chunks)).toBe("reasoning text usage");
  expect(textOf(chunks)).toBe("Hello there, friend.");
  const [request] = server.requests;
  expect(request?.headers.authorization).toBe("Bearer secret-key-123");
  expect(request?.body).toMatchObject({
    ...{ store: false, stream: true, model: "gpt-5.4" },
    include: ["reasoning.encrypted_content"],
    reasoning: { summary: "auto" },
    input: [
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "input_text", text: "Hi" }] },
    ],
  });
});

test("encrypted reasoning goes back with its item, and so does one without a word of its own", async () => {
  const { provider } = await open([
    [
      think("Two at once.", { signature: "sealed-1" }),
      think("", { signature: "sealed-2" }),
      say("Looking."),
      callTools({ name: "a__one", args: { n: 1 } }, { name: "a__two", args: { n: 2 } }),
    ],
    [say("Done.")],
  ]);
  const tools = [tool("a__one"), tool("a__two")];
  const first = await collect(provider, turn([user("Go")], { tools }));
  expect(kinds(first.chunks)).toBe("reasoning text tool_call tool_call usage");
  const [one, two] = callsOf(first.chunks);
  if (!one || !two) throw new Error("Two calls were expected.");
  const record = new Transcript([user("Go")]);
  for (const chunk of first.chunks) record.add(chunk);
  const parts = record.history().at(-1);
  expect(parts).toMatchObject({
    parts: [
      {
        type: "reasoning",
        text: "Two at once.",
        signature: expect.stringMatching(/^openai\/gpt-5\.4:\{"id":"/),
      },
      { type: "reasoning", text: "", signature: expect.stringContaining("sealed-2") },
      { type: "text", text: "Looking." },
      { type: "tool_call" },
      { type: "tool_call" },
    ],
  });
  for (const result of [answer(one, "1"), answer(two, "2")])
    record.add({ type: "tool_result", result, durationMs: 1 });
  await collect(provider, turn(record.history(), { tools }));
  const id = expect.stringMatching(/^reasoning_/);
  const summary = [{ type: "summary_text", text: "Two at once." }];
  expect(inputOf(1)).toEqual([
    { role: "user", content: [{ type: "input_text", text: "Go" }] },
    { type: "reasoning", id, encrypted_content: "sealed-1", summary },
    { type: "reasoning", id, encrypted_content: "sealed-2", summary: [] },
    { role: "assistant", content: "Looking." },
    { type: "function_call", call_id: one.id, name: "a__one", arguments: '{"n":1}' },
    { type: "function_call", call_id: two.id, name: "a__two", arguments: '{"n":2}' },
    { type: "function_call_output", call_id: one.id, output: "1" },
    { type: "function_call_output", call_id: two.id, output: "2" },
  ]);
});

test("reasoning of another model and of another provider stays at home", async () => {
  const { provider } = await open([[say("Ok.")]]);
  const alien = (signature: string) => ({ type: "reasoning" as const, text: "Hm.", signature });
  const sealed = '{"id":"rs_1","encrypted":"sealed"}';
  await collect(
    provider,
    turn([
      user("Hi"),
      {
        role: "assistant",
        parts: [alien(`openai/o4-mini:${sealed}`), alien("google:sig"), { type: "text", text: "Hi." }],
      },
      user("And?"),
    ]),
  );
  expect(inputOf(0).map(({ type, role }) => type ?? role)).toEqual(["user", "assistant", "user"]);
});

test("paragraphs of one thought are kept apart, and the phase of a text goes back", async () => {
  const item = { type: "reasoning", id: "rs_1", summary: [] };
  const message = { type: "message", id: "msg_1", role: "assistant", content: [], phase: "commentary" };
  const paragraph = (summary_index: number, delta: string) => [
    send("response.reasoning_summary_part.added", { item_id: "rs_1", summary_index, output_index: 0 }),
    send("response.reasoning_summary_text.delta", { item_id: "rs_1", summary_index, output_index: 0, delta }),
    send("response.reasoning_summary_part.done", { item_id: "rs_1", summary_index, output_index: 0 }),
  ];
  const { provider } = await open([
    [
      send("response.output_item.added", { output_index: 0, item }),
      ...paragraph(0, "One."),
      ...paragraph(1, "Two."),
      send("response.output_item.done", { output_index: 0, item: { ...item, encrypted_content: "sealed" } }),
      send("response.output_item.added", { output_index: 1, item: message }),
      send("response.output_text.delta", {
        output_index: 1,
        item_id: "msg_1",
        content_index: 0,
        delta: "So.",
      }),
      send("response.output_item.done", { output_index: 1, item: message }),
    ],
    [say("Ok.")],
  ]);
  const { chunks } = await collect(provider, turn([user("Hi")]));
  const record = new Transcript([user("Hi")]);
  for (const chunk of chunks) record.add(chunk);
  expect(record.history()[1]).toMatchObject({ parts: [{ text: "One.\n\nTwo." }, { text: "So." }] });
  await collect(provider, turn([...record.history(), user("And?")]));
  expect(inputOf(1)[1]).toMatchObject({ id: "rs_1", encrypted_content: "sealed" });
  expect(inputOf(1)[2]).toEqual({ role: "assistant", content: "So.", phase: "commentary" });
});

test("a refusal is shown in the model's words, and the turn is no success", async () => {
  const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
  const { provider } = await open([
    [
      send("response.output_item.added", { output_index: 0, item }),
      send("response.refusal.delta", {
        output_index: 0,
        item_id: "msg_1",
        content_index: 0,
        delta: "I can't.",
      }),
      send("response.output_item.done", { output_index: 0, item }),
    ],
  ]);
  const { chunks, error } = await collect(provider, turn([user("Hi")]));
  expect(textOf(chunks)).toBe("I can't.");
  expect(error).toMatchObject({ code: "bad_response" });
  expect(String(error)).toContain("safety filter");
});

test("an answer that is incomplete for its length ends as cut, one for its content as an error", async () => {
  const { provider } = await open([
    [say("Half"), finish("max_output_tokens")],
    [say("Half"), finish("content_filter")],
  ]);
  expect((await collect(provider, turn([user("Hi")]))).chunks.at(-1)).toMatchObject({
    stopReason: "max_tokens",
  });
  const { error } = await collect(provider, turn([user("Hi")]));
  expect(String(error)).toContain("content_filter");
});

const failed = (error: object | null) =>
  send("response.failed", { response: { id: "resp_1", status: "failed", error, incomplete_details: null } });

test.each([
  ["before the first word", []],
  ["after it", [say("Half an ")]],
])("a response that failed %s says why", async (_when, steps) => {
  const { provider } = await open([
    [...steps, failed({ code: "server_error", message: "The model fell over." }), fade],
    [...steps, failed({ code: "rate_limit_exceeded", message: "Too much." }), fade],
    [...steps, failed(null), fade],
  ]);
  const said = async () => (await collect(provider, turn([user("Hi")]))).error;
  const first = await said();
  expect(first).toMatchObject({ code: "unavailable" });
  expect(String(first)).toContain("The model fell over.");
  expect(await said()).toMatchObject({ code: "rate_limited" });
  expect(await said()).toMatchObject({ name: "ProviderError", code: "bad_response" });
});

test("an error in mid-stream keeps what was said before it, in either of its two shapes", async () => {
  const flat = send("error", { code: "server_error", message: "went away", param: null });
  const { provider } = await open([
    [say("Half an "), fault(500, "went away"), fade],
    [say("Half an "), flat, fade],
  ]);
  for (let round = 0; round < 2; round++) {
    const { chunks, error } = await collect(provider, turn([user("Hi")]));
    expect(textOf(chunks)).toBe("Half an ");
    expect(error).toMatchObject({ code: "unavailable" });
    expect(String(error)).toContain("went away");
  }
});

test("an error before the first word lets the connection go, though the server does not end it", async () => {
  const { provider, server } = await open([[fault(500, "went away"), { type: "hang" }]]);
  const { error } = await collect(provider, turn([user("Hi")]));
  expect(error).toMatchObject({ code: "unavailable" });
  expect(await (await server.request(0)).ended).toBe("client gone");
});

test("images and PDFs are sent; images of a result go back beside its text", async () => {
  const { provider } = await open([[callTools({ name: "a__look" })], [say("A cat.")]]);
  const tools = [tool("a__look")];
  const image = { type: "file" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  const pdf = { type: "file" as const, mediaType: "application/pdf", data: "JVBERi0=", name: "a.pdf" };
  const question = { role: "user" as const, parts: [{ type: "text" as const, text: "Look" }, image, pdf] };
  const { chunks } = await collect(provider, turn([question], { tools }));
  expect(inputOf(0)[0]?.content).toEqual([
    { type: "input_text", text: "Look" },
    { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
  ]);
  const [call] = callsOf(chunks);
  if (!call) throw new Error("A call was expected.");
  const results = [answer(call, "Here.", { content: [{ type: "text", text: "Here." }, image] })];
  await collect(
    provider,
    turn([question, { role: "assistant", parts: [call] }, { role: "tool", results }], { tools }),
  );
  expect(inputOf(1).at(-1)).toMatchObject({
    type: "function_call_output",
    output: [
      { type: "input_text", text: expect.stringContaining("Here.") },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ],
  });
});

test("a model that cannot see is sent a note in the place of an image", async () => {
  const { provider } = await open([[say("Ok.")]], "company-model");
  const image = { type: "file" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  await collect(provider, turn([{ role: "user", parts: [image] }]));
  expect(JSON.stringify(inputOf(0))).toContain("this model cannot read it");
});

test.each(["openai/gpt-5.4", "company.o4-mini", "azure:gpt-6"])(
  "%s reasons, though its name begins with another word",
  async (name) => {
    const { provider, server } = await open([[say("Hi.")]], name);
    await collect(provider, turn([user("Hi")]));
    expect(server.requests[0]?.body.include).toEqual(["reasoning.encrypted_content"]);
  },
);

test("an effort that is set is sent, whatever the name of the model tells", async () => {
  const { provider, server } = await open([[say("Hi.")]], "company-model");
  await collect(provider, { ...turn([user("Hi")]), effort: "low" });
  expect(server.requests[0]?.body).toMatchObject({ reasoning: { effort: "low" } });
});

test("a model whose name says nothing is asked for its reasoning once it has shown that it reasons", async () => {
  const { provider, server } = await open([[think("Hm."), say("Hi.")]], "company-model");
  const asked = turn([user("Hi")], { system: "Be kind." });
  for (let round = 0; round < 2; round++) await collect(provider, asked);
  expect(server.requests.map(({ body }) => body.include)).toEqual([
    undefined,
    ["reasoning.encrypted_content"],
  ]);
  expect(inputOf(1)[0]).toMatchObject({ role: "system" });
});

test.each([
  [
    "a summary",
    "Your organization must be verified to generate reasoning summaries.",
    { reasoning: undefined },
  ],
  ["encrypted reasoning", "Encrypted content is not supported with this model.", { include: undefined }],
  [
    "a field that the server does not know",
    "include: Extra inputs are not permitted",
    { include: undefined },
  ],
])("%s that is refused is left out from then on", async (_what, message, without) => {
  const { provider, server } = await open(({ body }) =>
    (("reasoning" in without ? body.reasoning : body.include) as unknown)
      ? [fail(400, message)]
      : [say("Hi.")],
  );
  for (let round = 0; round < 2; round++) {
    const { error, chunks } = await collect(provider, turn([user("Hi")]));
    expect(error).toBeUndefined();
    expect(textOf(chunks)).toBe("Hi.");
  }
  expect(server.requests).toHaveLength(3);
});

test("reasoning that the server cannot decrypt any more is left out, and the conversation goes on", async () => {
  const { provider, server } = await open(({ body }) =>
    JSON.stringify(body.input).includes("sealed")
      ? [fail(400, "The encrypted content for item rs_1 could not be verified.")]
      : [say("Hi.")],
  );
  const signature = 'openai/gpt-5.4:{"id":"rs_1","encrypted":"sealed"}';
  const thought = { type: "reasoning" as const, text: "Hm.", signature };
  const { error } = await collect(
    provider,
    turn([
      user("Hi"),
      { role: "assistant", parts: [thought, { type: "text", text: "Yes?" }] },
      user("Go on"),
    ]),
  );
  expect(error).toBeUndefined();
  expect(server.requests).toHaveLength(2);
});

test("a server without a key gets none, whatever the environment holds", async () => {
  server = await startResponsesServer([[say("Hi.")]]);
  const access = { openai: { baseURL: server.url, api: "responses" as const } };
  await collect(openProviders({ access }).provider("openai/x"), turn([user("Hi")]));
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});
