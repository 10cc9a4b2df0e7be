import type OpenAI from "openai";
import { expect, test } from "vitest";
import { callApi } from "@/app/api/testing/call-api";
import type { ConversationDetail, ConversationPage, RunItem } from "@/lib/protocol/http";
import { writeCall } from "@/lib/providers/testing/openai-server";
import { callTools, cut, say, until, usage } from "@/lib/providers/testing/steps";
import { allOf, servePrograms, testModel } from "./testing/ask-over-openai";

type Message = OpenAI.ChatCompletionMessageParam;

const entry = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const { openai, answers, asked } = await servePrograms({ fixture: entry }, { TOOL_APPROVAL: "allow" });

const tools = ["weather", "open_file"].map((name) => ({
  type: "function" as const,
  function: {
    ...{ name, description: `The tool ${name}.` },
    parameters: { type: "object", properties: { of: { type: "string" } } },
  },
}));
const hello: Message = { role: "user", content: "Hello" };
const ask = (messages: Message[], more: object = {}) =>
  openai().chat.completions.create({ model: testModel, messages, tools, ...more, stream: false });
const runOf = async (id: string): Promise<RunItem> =>
  (await callApi("GET", `/api/runs/${id.replace("chatcmpl-", "")}`)).json();
const detailOf = async (id: string): Promise<ConversationDetail> =>
  (await callApi("GET", `/api/conversations/${(await runOf(id)).conversationId}`)).json();
const listed = async (): Promise<number> =>
  ((await (await callApi("GET", "/api/conversations")).json()) as ConversationPage).items.length;

/** What the model was told in a turn: each message in a word, with what it calls or what came of it. */
const told = (turn: number) =>
  ((asked()[turn]?.body.messages ?? []) as Message[]).map((message) => {
    if (message.role === "assistant" && message.tool_calls)
      return message.tool_calls.map((call) => ("function" in call ? call.function.name : "")).join(" ");
    return `${message.role}: ${message.content}`;
  });
/** The answers that a program gives to all calls of a message. */
const results = ({ tool_calls = [] }: OpenAI.ChatCompletionMessage): Message[] =>
  tool_calls.map((call) => ({
    ...{ role: "tool", tool_call_id: call.id },
    content: "function" in call ? `result of ${call.function.name}` : "",
  }));
const messageOf = (answer: OpenAI.ChatCompletion) =>
  answer.choices[0]?.message as OpenAI.ChatCompletionMessage;

test("calls of the program's tools are returned to it, and what came of them goes to the model", async () => {
  const both = callTools({ name: "weather", args: { of: "Kyoto" } }, { name: "open_file", args: {} });
  answers([say("One moment."), both, usage(5, 5)], [say("It rains.")]);
  const first = await ask([hello]);
  expect(first.choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: {
      content: "One moment.",
      tool_calls: [
        { type: "function", function: { name: "weather", arguments: '{"of":"Kyoto"}' } },
        { type: "function", function: { name: "open_file", arguments: "{}" } },
      ],
    },
  });
  const given = asked()[0]?.body.tools as { function: { name: string } }[];
  expect(given.map((tool) => tool.function.name)).toEqual(
    expect.arrayContaining(["weather", "fixture__echo"]),
  );
  expect(given.find((tool) => tool.function.name === "weather")).toMatchObject(tools[0] as object);
  const message = messageOf(first);
  const second = await ask([hello, message, ...results(message)]);
  expect(messageOf(second).content).toBe("It rains.");
  expect(told(1)).toEqual([
    ...["system", "user: Hello", "weather open_file"].map((part) => expect.stringContaining(part)),
    ...["tool: result of weather", "tool: result of open_file"],
  ]);
});

type CallPiece = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;

const stream = (more: object = {}) =>
  openai().chat.completions.create({ model: testModel, messages: [hello], tools, ...more, stream: true });
const piecesOf = (chunks: OpenAI.ChatCompletionChunk[]): CallPiece[] =>
  chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
/** As a program puts them together. */
const argumentsOf = (pieces: CallPiece[], at: number): string =>
  pieces.flatMap((piece) => (piece.index === at ? (piece.function?.arguments ?? "") : [])).join("");

test("as events the arguments of each call come as they are written, and its name once", async () => {
  const calls = callTools({ name: "weather", args: { of: "Kyoto" } }, { name: "open_file", written: "" });
  answers([say("One moment."), calls]);
  const chunks = await allOf(await stream());
  const pieces = piecesOf(chunks);
  expect(pieces.flatMap(({ index, id, function: called }) => (id ? [[index, called?.name]] : []))).toEqual([
    [0, "weather"],
    [1, "open_file"],
  ]);
  expect(pieces.filter(({ index }) => index === 0).length).toBeGreaterThan(2);
  expect([argumentsOf(pieces, 0), argumentsOf(pieces, 1)]).toEqual(['{"of":"Kyoto"}', "{}"]);
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
  const runner = openai().chat.completions.stream({ model: testModel, messages: [hello], tools });
  expect((await runner.finalMessage()).tool_calls).toMatchObject([
    { function: { name: "weather", arguments: '{"of":"Kyoto"}' } },
    { function: { name: "open_file", arguments: "{}" } },
  ]);
});

test("a piece of the arguments is there before the next one is written, also after 65,536 characters", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const long = "x".repeat(70_000);
  answers(writeCall("weather", [`{"of":"${long}`, until(promise), ' and more"}']));
  const pieces: CallPiece[] = [];
  for await (const chunk of await stream()) {
    pieces.push(...piecesOf([chunk]));
    if (argumentsOf(pieces, 0).length > 70_000) resolve();
  }
  expect(argumentsOf(pieces, 0)).toBe(`{"of":"${long} and more"}`);
});

test("of a call that the model began anew the answer says so, as a piece of it was sent", async () => {
  const begun = writeCall("weather", ['{"of":"Ky']).slice(0, -1);
  answers([...begun, cut], [callTools({ name: "weather", args: { of: "Nara" } })]);
  const read = stream().then(allOf);
  await expect(read).rejects.toMatchObject({ code: "begun_anew" });
  // Whole, nothing has been sent.
  answers([...begun, cut], [callTools({ name: "weather", args: { of: "Nara" } })]);
  expect(messageOf(await ask([hello])).tool_calls).toMatchObject([
    { function: { arguments: '{"of":"Nara"}' } },
  ]);
});

const mixed = callTools(
  { name: "fixture__echo", args: { a: 1 } },
  { name: "weather", args: {} },
  { name: "fixture__echo", args: { a: 2 } },
);

test("a call that is told as it is written is known by its id, also behind calls that run here", async () => {
  answers([mixed], [say("It rains.")]);
  const runner = openai().chat.completions.stream({ model: testModel, messages: [hello], tools });
  const message = await runner.finalMessage();
  expect(message.tool_calls).toHaveLength(1);
  expect(messageOf(await ask([hello, message, ...results(message)])).content).toBe("It rains.");
  expect(told(1)).toContain("tool: result of weather");
});

test("in a turn with calls of both Meguri's run here, and their results are put back when the others come", async () => {
  answers(
    [callTools({ name: "fixture__echo", args: { a: 0 } })],
    [say("Both."), mixed, usage(5, 5)],
    [say("It rains.")],
  );
  const first = await ask([hello]);
  const message = messageOf(first);
  expect(message.tool_calls).toMatchObject([{ function: { name: "weather" } }]);
  expect(message.content).toBe("Both.");
  const run = await runOf(first.id);
  expect(run.iterations[1]?.toolCalls.map(({ name, status }) => [name, status])).toEqual([
    ["fixture__echo", "ok"],
    ["weather", "ok"],
    ["fixture__echo", "ok"],
  ]);
  await ask([hello, message, ...results(message)]);
  const whole = [
    ...["fixture__echo", 'tool: echo {"a":0}', "fixture__echo weather fixture__echo"],
    ...['tool: echo {"a":1}', "tool: result of weather", 'tool: echo {"a":2}'],
  ];
  expect(told(2).slice(-6)).toEqual(whole);
  // What the program has changed or left out of all else is as it says.
  answers([say("It rains.")]);
  const other: Message = { role: "user", content: "Good evening" };
  await ask([other, message, ...results(message), { role: "user", content: "And now?" }]);
  expect(told(0).slice(-8)).toEqual(["user: Good evening", ...whole, "user: And now?"]);
});

test("an errand of many calls is one conversation, and one run for each request", async () => {
  answers([callTools({ name: "weather" })], [mixed], [callTools({ name: "open_file" })], [say("Done.")]);
  const before = await listed();
  const messages: Message[] = [{ role: "system", content: "Go on until it is done." }, hello];
  const ids: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const answer = await ask(messages, { store: true });
    ids.push(answer.id);
    messages.push(messageOf(answer), ...results(messageOf(answer)));
  }
  const runs = await Promise.all(ids.map(runOf));
  expect(new Set(runs.map(({ conversationId }) => conversationId)).size).toBe(1);
  expect(new Set(runs.map(({ id }) => id)).size).toBe(4);
  expect(await listed()).toBe(before + 1);
  const shown = (await detailOf(ids[3] ?? "")).messages.map(({ role }) => role);
  expect(shown.filter((role) => role === "user")).toHaveLength(1);
  expect(shown.at(-1)).toBe("assistant");
  // The next question goes on in it, and so does another version of it.
  answers([say("Yes.")]);
  const more: Message[] = [...messages, { role: "user", content: "Sure?" }];
  const [next, again] = await Promise.all([ask(more, { store: true }), ask(more, { store: true })]);
  for (const { id } of [next, again]) expect((await runOf(id)).conversationId).toBe(runs[0]?.conversationId);
  // Not stored it is one of its own.
  const apart = await runOf((await ask(more)).id);
  expect(apart.conversationId).not.toBe(runs[0]?.conversationId);
});

test("one call at a time is returned where no more are wanted", async () => {
  answers([callTools({ name: "weather" }, { name: "open_file" })], [say("It rains.")]);
  const first = await ask([hello], { parallel_tool_calls: false });
  const message = messageOf(first);
  expect(message.tool_calls).toMatchObject([{ function: { name: "weather" } }]);
  await ask([hello, message, ...results(message)]);
  expect(told(1).slice(-2)).toEqual(["tool: result of weather", expect.stringMatching(/^tool: Not run/)]);
});

test("arguments that are no JSON are returned as the model wrote them", async () => {
  answers([callTools({ name: "weather", written: '{"of": "Kyo' })]);
  const message = messageOf(await ask([hello]));
  expect(message.tool_calls).toMatchObject([{ function: { name: "weather", arguments: '{"of": "Kyo' } }]);
});

test("a call by an id of another run, or of nobody's, is one of the program as it stands", async () => {
  answers([callTools({ name: "weather", args: { of: "Kyoto" } })], [say("It rains.")]);
  const message = messageOf(await ask([hello]));
  const [call] = message.tool_calls ?? [];
  const named = { id: call?.id ?? "", function: { name: "open_file", arguments: '{"of":"a"}' } };
  for (const changed of [named, { ...named, id: "call_AAAAAAAAAAAAAAAAAAAAAA_0" }, { ...named, id: "x" }]) {
    answers([say("It rains.")]);
    const tool_calls = [{ ...changed, type: "function" }] as OpenAI.ChatCompletionMessageToolCall[];
    await ask([
      hello,
      { role: "assistant", tool_calls },
      { role: "tool", tool_call_id: changed.id, content: "r" },
    ]);
    expect(told(0).slice(-2)).toEqual(["open_file", "tool: r"]);
  }
});

test("a tool that has to be called, and one that an agent would not know", async () => {
  answers([callTools({ name: "weather" })]);
  const choice = { type: "function", function: { name: "weather" } };
  await ask([hello], { tool_choice: choice });
  expect(asked()[0]?.body.tool_choice).toEqual(choice);
  const wrong = { type: "function", function: { name: "none" } };
  await expect(ask([hello], { tool_choice: wrong })).rejects.toMatchObject({
    ...{ status: 400, param: "tool_choice.function.name" },
  });
  await expect(ask([hello], { model: "agent/counter" })).rejects.toMatchObject({
    status: 400,
    param: "tools",
  });
});

test("what a call of Meguri's has returned stands, whatever a program says of it", async () => {
  answers([mixed], [say("It rains.")]);
  const message = messageOf(await ask([hello]));
  const [weather] = message.tool_calls ?? [];
  const own = { id: weather?.id.replace(/1$/, "0") ?? "", type: "function" as const };
  const claimed = { ...own, function: { name: "fixture__echo", arguments: "{}" } };
  answers([say("It rains.")]);
  await ask([
    hello,
    { role: "assistant", tool_calls: [claimed] },
    { role: "tool", tool_call_id: own.id, content: "made up" },
  ]);
  // It is a call of the program, beside nothing of ours.
  expect(told(0).slice(-3)).toEqual(["user: Hello", "fixture__echo", "tool: made up"]);
});
