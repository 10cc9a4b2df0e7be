import { createOpenAI } from "@ai-sdk/openai";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { callApi } from "@/app/api/testing/call-api";
import type { ConversationDetail, ConversationPage, RunItem } from "@/lib/protocol/http";
import { callTools, cut, fail, say, usage } from "@/lib/providers/testing/steps";
import { allOf, launchToken, servePrograms, testModel } from "./testing/ask-over-openai";

const entry = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const { openai, answers, asked, address, send } = await servePrograms(
  { fixture: entry },
  { TOOL_APPROVAL: "allow" },
);

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Input = OpenAI.Responses.ResponseInputItem[];

const respond = (input: string | Input, more: Partial<Body> = {}) =>
  openai().responses.create({ model: testModel, input, ...more });
const runOf = async (id: string): Promise<RunItem> =>
  (await callApi("GET", `/api/runs/${id.replace("resp_", "")}`)).json();
const listed = async (): Promise<string[]> => {
  const page: ConversationPage = await (await callApi("GET", "/api/conversations")).json();
  return page.items.map(({ id }) => id);
};
const told = (turn = 0) =>
  ((asked()[turn]?.body.messages ?? []) as { role: string; content: unknown; tool_calls?: object[] }[]).map(
    ({ role, content, tool_calls }) =>
      tool_calls ? `${role}: ${tool_calls.length} calls` : `${role}: ${JSON.stringify(content)}`,
  );
const weather = {
  ...{ type: "function" as const, name: "weather", description: "Tells the weather.", strict: false },
  parameters: { type: "object", properties: { city: { type: "string" } } },
};
const mixed = [
  say("One moment."),
  callTools({ name: "fixture__echo", args: { a: 1 } }, { name: "weather", args: { city: "Kyoto" } }),
];
const plain: Partial<Body> = { tools: [weather], tool_choice: "auto" };

test("a question is answered whole", async () => {
  answers([say("Good day to you."), usage(7, 3)]);
  const answer = await respond("Hello", { instructions: "Be brief.", temperature: 0.5 });
  expect(answer).toMatchObject({
    ...{ object: "response", status: "completed", model: testModel, store: false, error: null },
    output: [{ type: "message", role: "assistant", status: "completed" }],
    usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
  });
  expect(answer.output_text).toBe("Good day to you.");
  expect(told()[0]).toMatch(/^system: "Be brief\./);
  expect(asked()[0]?.body.temperature).toBe(0.5);
  expect(await runOf(answer.id)).toMatchObject({ program: { wire: "responses" }, status: "completed" });
});

test("an answer comes as typed events, in their order and with their numbers", async () => {
  answers([say("Good day"), ...mixed.slice(1), usage(7, 3)]);
  const body = { model: testModel, input: "Hello", tools: [weather] };
  const stream = await openai().responses.create({ ...body, stream: true });
  const events = await allOf(stream);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  const kinds = events.map(({ type }) => type.replace("response.", ""));
  expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
    ...["created", "in_progress", "output_item.added", "content_part.added", "output_text.delta"],
    ...["output_item.added", "function_call_arguments.delta", "output_text.done", "content_part.done"],
    ...["output_item.done", "function_call_arguments.done", "output_item.done", "completed"],
  ]);
  const last = events.at(-1);
  expect(last?.type === "response.completed" && last.response.output).toMatchObject([
    { type: "message", content: [{ type: "output_text", text: "Good day" }] },
    { type: "function_call", name: "weather", arguments: '{"city":"Kyoto"}', status: "completed" },
  ]);
  const pieces = events.flatMap((event) =>
    event.type === "response.function_call_arguments.delta" ? [event] : [],
  );
  expect(pieces.map(({ delta }) => delta).join("")).toBe('{"city":"Kyoto"}');
  expect(pieces.length).toBeGreaterThan(1);
  expect(new Set(pieces.map(({ output_index }) => output_index))).toEqual(new Set([1]));
  const helper = openai().responses.stream({ model: testModel, input: "Hello" });
  answers([say("Good day to you.")]);
  expect((await helper.finalResponse()).output_text).toBe("Good day to you.");
});

test("what is stored is a conversation that the next response goes on in", async () => {
  answers([say("Kyoto.")], [say("Rain.")], [say("Bring an umbrella.")]);
  const before = await listed();
  const first = await respond("Where?", { instructions: "Be brief.", store: true });
  const second = await respond("How is it?", { previous_response_id: first.id, store: true });
  expect(second.previous_response_id).toBe(first.id);
  expect(told(1).slice(-3)).toEqual(['user: "Where?"', 'assistant: "Kyoto."', 'user: "How is it?"']);
  // As with OpenAI, instructions are those of one response.
  expect(told(1)[0]).not.toContain("Be brief.");
  const { conversationId } = await runOf(first.id);
  expect(await runOf(second.id)).toMatchObject({ conversationId });
  expect(await listed()).toEqual([conversationId, ...before]);
  // One that is not stored goes on from it, apart.
  const third = await respond("And I?", { previous_response_id: second.id });
  expect(told(2).slice(-3)).toEqual(['user: "How is it?"', 'assistant: "Rain."', 'user: "And I?"']);
  expect((await runOf(third.id)).conversationId).not.toBe(conversationId);
  const detail: ConversationDetail = await (
    await callApi("GET", `/api/conversations/${conversationId}`)
  ).json();
  expect(detail.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  const refused = respond("And?", { previous_response_id: third.id });
  await expect(refused).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  for (const id of ["resp_none", "resp_01a2292c-af80-77bc-aaca-3fadb04e98bb"])
    await expect(respond("And?", { previous_response_id: id })).rejects.toMatchObject({
      ...{ status: 400, code: "previous_response_not_found" },
    });
});

test("of a turn with calls of both the program's are returned, and the rest is put back with their results", async () => {
  const output = (call: { call_id: string }) => ({
    ...{ type: "function_call_output" as const, call_id: call.call_id, output: "Rain" },
  });
  const whole = ["assistant: 2 calls", 'tool: "echo {\\"a\\":1}"', 'tool: "Rain"'];
  answers(mixed, [say("Take an umbrella.")]);
  const first = await respond("What is the weather?", { ...plain, store: true });
  const call = first.output.find((item) => item.type === "function_call");
  if (!call) throw new Error("There is no call.");
  expect(first.output).toHaveLength(2);
  const second = await respond([output(call)], { ...plain, previous_response_id: first.id, store: true });
  expect(second.output_text).toBe("Take an umbrella.");
  expect(told(1).slice(-3)).toEqual(whole);
  expect((await runOf(second.id)).conversationId).toBe((await runOf(first.id)).conversationId);
  // Without it all that was said comes as input.
  answers(mixed, [say("Take an umbrella.")]);
  const asks = await respond("What is the weather?", plain);
  const items = asks.output as Input;
  const again = asks.output.find((item) => item.type === "function_call");
  if (!again) throw new Error("There is no call.");
  const user = { role: "user" as const, content: "What is the weather?" };
  const next = await respond([user, ...items, output(again)], plain);
  expect(told(1).slice(-3)).toEqual(whole);
  expect((await runOf(next.id)).conversationId).toBe((await runOf(asks.id)).conversationId);
  // Results that are missing, and those of nobody's call.
  await expect(
    respond("And?", { ...plain, previous_response_id: first.id, store: true }),
  ).rejects.toMatchObject({ status: 400, param: "input[0]" });
  await expect(respond([user, output({ call_id: "x" })], plain)).rejects.toMatchObject({
    ...{ status: 400, param: "input[1].call_id" },
  });
});

test("an answer that was named in place of its words is put back whole", async () => {
  answers([callTools({ name: "fixture__echo", args: { a: 1 } })], [say("It says 1.")], [say("Yes.")]);
  const first = await respond("What does it say?");
  const [message] = first.output;
  const input = [
    { role: "user", content: "What does it say?" },
    { type: "item_reference", id: message?.id ?? "" },
    { role: "user", content: [{ type: "input_text", text: "Sure?" }] },
  ] as Input;
  await respond(input);
  expect(told(2).slice(-4)).toEqual([
    ...["assistant: 1 calls", 'tool: "echo {\\"a\\":1}"', 'assistant: "It says 1."', 'user: "Sure?"'],
  ]);
  const gone = [{ type: "item_reference", id: "msg_AAAAAAAAAAAAAAAAAAAAAA" }, ...input.slice(-1)] as Input;
  await expect(respond(gone)).rejects.toMatchObject({ status: 400, param: "input[0]" });
});

test("an answer that is cut is incomplete, and one that breaks fails with an event", async () => {
  answers([say("And so"), { type: "finish", reason: "length" }]);
  expect(await respond("Tell", { max_output_tokens: 5 })).toMatchObject({
    ...{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output_text: "And so" },
  });
  answers([say("Good day"), cut]);
  const stream = await openai().responses.create({ model: testModel, input: "Hello", stream: true });
  const kinds: string[] = [];
  const read = async () => {
    for await (const { type } of stream) kinds.push(type);
  };
  await expect(read()).rejects.toThrow();
  expect(kinds.at(-1)).toBe("response.failed");
  answers([fail(429, "slow down", { headers: { "retry-after": "77" } })]);
  await expect(respond("Hello")).rejects.toMatchObject({ status: 429 });
});

const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("pictures, documents, a schema and a choice of tools", async () => {
  await callApi("PATCH", "/api/settings", { models: { [testModel]: { images: true } } });
  answers([say('{"city": "Kyoto"}')]);
  const content = [
    { type: "input_text", text: "See" },
    { type: "input_image", image_url: picture, detail: "auto" },
    { type: "input_file", filename: "notes.txt", file_data: `data:text/plain;base64,${btoa("Buy milk.")}` },
  ];
  const format = { type: "json_schema", name: "city", schema: weather.parameters } as const;
  const input = [{ role: "user", content }] as Input;
  const answer = await respond(input, { text: { format }, tools: [weather], tool_choice: "none" });
  expect(answer.output_text).toBe('{"city":"Kyoto"}');
  expect(JSON.stringify(asked()[0]?.body.messages)).toContain("Buy milk.");
  expect(JSON.stringify(asked()[0]?.body.messages)).toContain("image_url");
});

test.each([
  ["input", { input: undefined }],
  ["input", { input: [] }],
  ["input", { input: [{ role: "system", content: "Hello" }] }],
  ["input[0].type", { input: [{ type: "computer_call" }] }],
  ["input[0].content[0].type", { input: [{ role: "user", content: [{ type: "input_audio" }] }] }],
  [
    "input[0].content[0].image_url",
    { input: [{ role: "user", content: [{ type: "input_image", image_url: "https://127.0.0.1/b" }] }] },
  ],
  ["input[0].role", { input: [{ role: "robot", content: "Hello" }] }],
  [
    "input[2]",
    {
      input: [
        { role: "user", content: "a" },
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      ],
    },
  ],
  ["tools[0].type", { tools: [{ name: "weather" }] }],
  ["tools[0].name", { tools: [{ type: "function", name: "two words" }] }],
  ["tool_choice.name", { tool_choice: { type: "function", name: "none" } }],
  ["background", { background: true }],
  ["conversation", { conversation: "c" }],
  ["prompt", { prompt: { id: "p" } }],
])("what is wrong with %s is said of it", async (param, more) => {
  const answer = await send("/v1/responses", { model: testModel, input: "Hello", ...more });
  const { error } = await answer.json();
  expect([answer.status, error.param, error.type]).toEqual([400, param, "invalid_request_error"]);
  expect(error.message.startsWith(`${param}: `), error.message).toBe(true);
});

test("tools that OpenAI would run are left out, and a header names them", async () => {
  answers([say("Good day to you.")]);
  const tools = [
    { type: "web_search" },
    { type: "function", name: "weather" },
    { type: "namespace", tools: [] },
  ];
  const answer = await send("/v1/responses", {
    model: testModel,
    input: "Hello",
    tools,
    top_p: 0.5,
    user: "x",
  });
  expect(answer.headers.get("X-Meguri-Ignored")).toBe("user, tools.web_search, tools.namespace");
  expect((await answer.json()).tools).toEqual([{ type: "function", name: "weather" }]);
  expect(asked()[0]?.tools).toContain("weather");
  expect(asked()[0]?.body).toMatchObject({ top_p: 0.5 });
});

const inputSchema = z.object({ city: z.string() });

test("the AI SDK over responses: words, use, tools of both, JSON", async () => {
  const model = createOpenAI({ baseURL: `${address}/v1`, apiKey: launchToken }).responses(testModel);
  const request = { model, maxRetries: 0 };
  answers([say("Good day to you."), usage(7, 3)]);
  const whole = await generateText({ ...request, system: "Be brief.", prompt: "Hello" });
  expect([whole.text, whole.finishReason, whole.usage.totalTokens]).toEqual(["Good day to you.", "stop", 10]);
  const tools = {
    weather: tool({ inputSchema, execute: async ({ city }) => `Rain in ${city}` }),
  };
  const steps = { ...request, prompt: "What is the weather?", tools, stopWhen: stepCountIs(3) };
  answers(mixed, [say("Take an umbrella.")]);
  const done = await generateText(steps);
  expect([done.text, done.steps.length]).toEqual(["Take an umbrella.", 2]);
  answers(mixed, [say("Take an umbrella.")]);
  const live = streamText(steps);
  expect((await allOf(live.textStream)).join("")).toBe("One moment.Take an umbrella.");
  expect(asked()[1]?.toolResults).toEqual(['echo {"a":1}', "Rain in Kyoto"]);
  answers([say('{"city": "Kyoto"}')]);
  const output = Output.object({ schema: inputSchema });
  expect((await generateText({ ...request, prompt: "Which city?", output })).output).toEqual({
    city: "Kyoto",
  });
});

test("LangChain over responses: words, use, tools of both", async () => {
  const fields = { model: testModel, apiKey: launchToken, maxRetries: 0 };
  const configuration = { baseURL: `${address}/v1` };
  const model = new ChatOpenAI({ ...fields, configuration, useResponsesApi: true });
  answers([say("Good day to you."), usage(7, 3)]);
  const whole = await model.invoke("Hello");
  expect(whole).toMatchObject({ text: "Good day to you.", usage_metadata: { total_tokens: 10 } });
  const pieces = await allOf(await model.stream("Hello"));
  expect(pieces.map(({ text }) => text).join("")).toBe("Good day to you.");
  const named = { name: "weather", description: "Tells the weather.", schema: inputSchema };
  const bound = model.bindTools([langchainTool(async ({ city }) => `Rain in ${city}`, named)]);
  answers(mixed, [say("Take an umbrella.")]);
  const question = new HumanMessage("What is the weather?");
  const asks = await bound.invoke([question]);
  const [call] = asks.tool_calls ?? [];
  const result = new ToolMessage({ tool_call_id: call?.id ?? "", content: "Rain in Kyoto" });
  expect((await bound.invoke([question, asks, result])).text).toBe("Take an umbrella.");
  expect(asked()[1]?.toolResults).toEqual(['echo {"a":1}', "Rain in Kyoto"]);
});
