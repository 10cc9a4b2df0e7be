import { expect, test } from "vitest";
import { callApi } from "@/app/api/testing/call-api";
import type { ConversationPage, ListedRun, Page, RunItem } from "@/lib/protocol/http";
import { cut, fail, hang, say, usage } from "@/lib/providers/testing/steps";
import { allOf, servePrograms, testModel } from "./testing/ask-over-openai";

const { openai, answers, asked, send, model } = await servePrograms();

const hello = [{ role: "user" as const, content: "Hello" }];
const complete = (more: object = {}) =>
  openai().chat.completions.create({ model: testModel, messages: hello, ...more, stream: false });
const stream = (more: object = {}) =>
  openai().chat.completions.create({ model: testModel, messages: hello, ...more, stream: true });
const runOf = async (id: string): Promise<RunItem> =>
  (await callApi("GET", `/api/runs/${id.replace("chatcmpl-", "")}`)).json();
const listed = async (): Promise<string[]> => {
  const page: ConversationPage = await (await callApi("GET", "/api/conversations")).json();
  return page.items.map(({ id }) => id);
};

test("a question is answered whole, and the model is told what the program says and nothing else", async () => {
  answers([say("Good day to you."), usage(7, 3)]);
  const answer = await complete({ messages: [{ role: "system", content: "Be brief." }, ...hello] });
  expect(answer).toMatchObject({
    object: "chat.completion",
    model: testModel,
    choices: [
      { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Good day to you." } },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  });
  expect(asked()).toHaveLength(1);
  expect(asked()[0]?.body.messages).toEqual([{ role: "system", content: "Be brief." }, ...hello]);
  expect(asked()[0]?.body).not.toHaveProperty("tools");
});

test("an answer comes as it is written, with its use at the end where that is asked for", async () => {
  answers([say("Good day to you."), usage(7, 3)]);
  const chunks = await allOf(await stream({ stream_options: { include_usage: true } }));
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
  const words = chunks.map(({ choices }) => choices[0]?.delta.content ?? "");
  expect(words.join("")).toBe("Good day to you.");
  expect(words.filter(Boolean).length).toBeGreaterThan(1);
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 7, total_tokens: 10 } });
  const plain = await allOf(await stream());
  expect(plain.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  expect(plain.every((chunk) => !("usage" in chunk))).toBe(true);
});

test("all that was said comes before the question, with calls of the program and their results", async () => {
  answers([say("It rains.")]);
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "weather", arguments: '{"city":"Kyoto"}' },
  };
  await complete({
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
      { role: "developer", content: "Answer in one line." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is the" },
          { type: "text", text: "weather?" },
        ],
      },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "Rain" },
    ],
  });
  const messages = asked()[0]?.body.messages as { role: string; content: unknown; tool_calls?: object[] }[];
  expect(messages.map(({ role }) => role)).toEqual([
    ...["system", "user", "assistant", "user", "assistant", "tool"],
  ]);
  expect(messages[0]?.content).toBe("Answer in one line.");
  expect(messages[4]?.tool_calls).toMatchObject([{ function: call.function }]);
  expect(messages[5]?.content).toBe("Rain");
});

test("knobs reach the model, a full answer ends as one, and fields that nobody takes are named", async () => {
  answers([say("And so"), { type: "finish", reason: "length" }]);
  const knobs = { temperature: 0.3, top_p: 0.5, seed: 4, max_completion_tokens: 5, reasoning_effort: "low" };
  const answer = await complete(knobs);
  expect(answer.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "And so" } });
  expect(asked()[0]?.body).toMatchObject({
    ...{ temperature: 0.3, top_p: 0.5, seed: 4, reasoning_effort: "low" },
  });
  const { response } = await openai()
    .chat.completions.create({ model: testModel, messages: hello, logit_bias: {}, user: null as never })
    .withResponse();
  expect(response.headers.get("x-meguri-ignored")).toBe("logit_bias");
});

test("what a program asks is in no list, its run says who has asked, and with store it is a conversation", async () => {
  answers([say("Good day.")]);
  const before = await listed();
  const { id } = await complete();
  expect(await listed()).toEqual(before);
  const run = await runOf(id);
  expect(run).toMatchObject({
    status: "completed",
    question: "Hello",
    program: { wire: "chat", client: null },
  });
  const ofPrograms: Page<ListedRun> = await (await callApi("GET", "/api/runs?kind=v1&limit=1")).json();
  expect(ofPrograms.items).toMatchObject([{ id: run.id }]);
  const kept = await runOf((await complete({ store: true })).id);
  expect(await listed()).toEqual([kept.conversationId, ...before]);
});

test("a person who goes on in what a program has asked has it in the list from then on", async () => {
  answers([say("Good day.")]);
  const { conversationId } = await runOf((await complete()).id);
  const more = { conversationId, message: { text: "And now?" }, model: testModel };
  await (await callApi("POST", "/api/chat", more)).text();
  expect(await listed()).toContain(conversationId);
  const found = await (await callApi("GET", "/api/search?q=hello")).json();
  expect(found.items.map((item: { conversationId: string }) => item.conversationId)).toContain(
    conversationId,
  );
});

test.each([
  ["refuses the key", fail(401, "bad key"), 502, "auth"],
  [
    "has too much to do for long",
    fail(429, "slow down", { headers: { "retry-after": "77" } }),
    429,
    "rate_limited",
  ],
  ["cannot read so much", fail(400, "maximum context length is 8192 tokens"), 400, "context_length_exceeded"],
])("where the model %s the error has its status, whole and as events", async (_, step, status, code) => {
  answers([step]);
  for (const ask of [complete, stream]) {
    const error = await ask().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ status, code });
    expect((error as Error).message).toMatch(/[.:]/);
  }
  if (status === 429) {
    const answer = await send("/v1/chat/completions", { model: testModel, messages: hello });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(60);
  }
});

test("an answer that breaks after its first words ends with an error among its events", async () => {
  answers([say("Good day"), cut]);
  const words: string[] = [];
  const read = async () => {
    for await (const { choices } of await stream()) words.push(choices[0]?.delta.content ?? "");
  };
  await expect(read()).rejects.toMatchObject({ error: { type: "server_error" } });
  expect(words.join("")).toBe("Good day");
});

test.each([false, true])("who goes away stops the run (as events: %s)", async (isStream) => {
  answers([say("Good day"), hang]);
  const abort = new AbortController();
  const options = { signal: abort.signal };
  const body = { model: testModel, messages: hello };
  const before = model.requests.length;
  if (isStream) {
    const events = await openai().chat.completions.create({ ...body, stream: true }, options);
    for await (const { choices } of events) if (choices[0]?.delta.content) break;
  } else {
    const answer = openai().chat.completions.create(body, options);
    await model.request(before);
    abort.abort();
    await expect(answer).rejects.toThrow();
  }
  expect(await (await model.request(before)).ended).toBe("client gone");
  const newest = async () => {
    const page: Page<ListedRun> = await (await callApi("GET", "/api/runs?kind=v1&limit=1")).json();
    return page.items[0]?.status;
  };
  await expect.poll(newest).toBe("stopped");
});

test("an assistant answers with what it is told and with its model, an agent with the words of its last step", async () => {
  const made = await callApi("POST", "/api/assistants", {
    ...{ name: "Bard", instructions: "Speak in verse.", model: testModel, servers: [] },
  });
  const { id } = await made.json();
  const { data } = await openai().models.list();
  expect(data).toContainEqual(expect.objectContaining({ id: `assistant/${id}`, name: "Bard" }));
  expect(data.map((one) => one.id)).toEqual(expect.arrayContaining([testModel, "agent/counter"]));
  expect(await openai().models.retrieve(`assistant/${id}`)).toEqual(
    data.find((one) => one.id === `assistant/${id}`),
  );
  expect(await openai().models.retrieve(testModel)).toMatchObject({ id: testModel, object: "model" });
  const absent = openai().models.retrieve("openai/none");
  await expect(absent).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  answers([say("A rose.")]);
  const system = { role: "system", content: "One line." };
  const answer = await complete({ model: `assistant/${id}`, messages: [system, ...hello] });
  expect(answer).toMatchObject({ model: `assistant/${id}`, choices: [{ message: { content: "A rose." } }] });
  const [told] = (asked()[0]?.body.messages ?? []) as { content: string }[];
  expect(told?.content).toMatch(/Meguri.*Speak in verse.*One line\./s);
  const events = await stream({ model: "agent/counter", messages: [{ role: "user", content: "Count" }] });
  const words = (await allOf(events)).map(({ choices }) => choices[0]?.delta.content ?? "");
  expect(words.filter(Boolean)).toHaveLength(1);
});
