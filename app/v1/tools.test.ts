import { expect, test } from "vitest";
import { callApi } from "@/app/api/testing/call-api";
import type { TokenOptions } from "@/lib/protocol/api-tokens";
import type { ConversationPage, ListedRun, Page, RunItem } from "@/lib/protocol/http";
import { callTools, say, usage } from "@/lib/providers/testing/steps";
import { allOf, servePrograms, testModel } from "./testing/ask-over-openai";

const entry = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const { openai, answers, asked } = await servePrograms({ fixture: entry, other: entry });

const hello = [{ role: "user" as const, content: "Hello" }];
const tokenWith = async (options: TokenOptions): Promise<string> => {
  const body = { name: "An editor", scopes: ["chat"], expiresAt: null, ...options };
  return (await (await callApi("POST", "/api/tokens", body)).json()).value;
};
const ask = (token: string | undefined, more: object = {}) =>
  openai(token).chat.completions.create({ model: testModel, messages: hello, ...more, stream: false });
const stream = (token: string | undefined, more: object = {}) =>
  openai(token).chat.completions.create({ model: testModel, messages: hello, ...more, stream: true });
const newestRun = async (): Promise<RunItem> => {
  const page: Page<ListedRun> = await (await callApi("GET", "/api/runs?kind=v1&limit=1")).json();
  return (await callApi("GET", `/api/runs/${page.items[0]?.id}`)).json();
};
const listed = async (): Promise<string[]> => {
  const page: ConversationPage = await (await callApi("GET", "/api/conversations")).json();
  return page.items.map(({ id }) => id);
};
const toolsOf = (turn = 0) =>
  ((asked()[turn]?.body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
const allow = (pattern: string) =>
  callApi("PATCH", "/api/settings", { rules: pattern === "" ? [] : [{ pattern, effect: "allow" }] });
const echo = [callTools({ name: "fixture__echo", args: { a: 1 } }), usage(10, 2)];

test("a model has the tools of the servers that its token names: none where it names none, all with the launch token", async () => {
  answers([say("Good day.")]);
  await ask(await tokenWith({}));
  expect(toolsOf()).toEqual([]);
  expect(asked()[0]?.body.messages).toEqual(hello);
  await ask(await tokenWith({ servers: ["fixture"] }));
  expect(toolsOf(1)).toEqual(["fixture__echo", "fixture__environment", "fixture__wait"]);
  await ask(undefined);
  expect(toolsOf(2)).toHaveLength(6);
});

test("tools of Meguri's servers run here, and the answer has the words and the use of all turns", async () => {
  await allow("mcp:fixture:*");
  const token = await tokenWith({ servers: ["fixture"] });
  const steps = [
    [say("One moment."), ...echo],
    [say("It says 1."), usage(20, 3)],
  ] as const;
  answers(...steps.map((turn) => [...turn]));
  const answer = await ask(token);
  expect(answer.choices).toMatchObject([
    { finish_reason: "stop", message: { content: "One moment.\n\nIt says 1." } },
  ]);
  expect(answer.choices[0]?.message.tool_calls).toBeUndefined();
  expect(answer.usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 5 });
  expect(asked()[1]?.toolResults).toEqual(['echo {"a":1}']);
  const run = await newestRun();
  expect(run.program).toEqual({ wire: "chat", client: "An editor" });
  expect(run.iterations[0]?.toolCalls).toMatchObject([{ name: "fixture__echo", status: "ok" }]);
  answers(...steps.map((turn) => [...turn]));
  const chunks = await allOf(await stream(token));
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(
    "One moment.\n\nIt says 1.",
  );
  await allow("");
});

test("a call that needs a person fails at once with a sentence that names it, and nothing waits", async () => {
  const token = await tokenWith({ servers: ["fixture"] });
  for (const [begin, send] of [
    [[], ask],
    [[], stream],
  ] as const) {
    answers([...begin, ...echo], [say("Never.")]);
    const error = await send(token).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ status: 403, code: "approval_required" });
    expect((error as Error).message).toMatch(/fixture__echo.*rule.*onApproval: wait/s);
    expect(asked()).toHaveLength(1);
    const run = await newestRun();
    expect([run.status, run.pending]).toEqual(["stopped", []]);
  }
  // After the first words it is one of the events.
  answers([say("One moment."), ...echo]);
  await expect(allOf(await stream(token))).rejects.toMatchObject({ error: { code: "approval_required" } });
});

/** Answers the question of the run that waits, as its person does in the page, which lists its conversation meanwhile. */
async function decide(decision: string): Promise<void> {
  await expect.poll(async () => (await newestRun()).status).toBe("waiting");
  const run = await newestRun();
  expect(await listed()).toContain(run.conversationId);
  const [asks] = run.pending;
  const body = { requestId: asks?.requestId, decision };
  expect((await callApi("POST", `/api/runs/${run.id}/answer`, body)).status).toBe(200);
}

test.each([ask, stream])(
  "with a token that waits a person is asked, and the answer goes on with what they say",
  async (send) => {
    const token = await tokenWith({ servers: ["fixture"], onApproval: "wait" });
    answers(echo, [say("It says 1."), usage(20, 3)]);
    const before = await listed();
    const answer = send(token);
    await decide("approve");
    const got = await answer;
    const text =
      "choices" in got
        ? got.choices[0]?.message.content
        : (await allOf(got)).map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    expect(text).toBe("It says 1.");
    expect(await listed()).toEqual(before);
    answers(echo, [say("Then not.")]);
    const denied = ask(token);
    await decide("deny");
    expect((await denied).choices[0]?.message.content).toBe("Then not.");
  },
);

test("of a turn with calls of both the program gets its own once a person has answered about the other", async () => {
  const token = await tokenWith({ servers: ["fixture"], onApproval: "wait" });
  const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
  answers([callTools({ name: "weather" }, { name: "fixture__echo", args: { a: 1 } })], [say("It rains.")]);
  const answer = ask(token, { tools });
  await decide("approve");
  const [choice] = (await answer).choices;
  expect(choice).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
  const calls = choice?.message.tool_calls ?? [];
  expect(calls).toMatchObject([{ function: { name: "weather" } }]);
  expect(asked()).toHaveLength(1);
  const result = { role: "tool", tool_call_id: calls[0]?.id, content: "Rain" };
  const next = await ask(token, { tools, messages: [...hello, choice?.message, result] });
  expect(next.choices[0]?.message.content).toBe("It rains.");
  expect(asked()[1]?.toolResults).toEqual(["Rain", 'echo {"a":1}']);
});

test("a person is waited for as long as the token says", async () => {
  const token = await tokenWith({ servers: ["fixture"], onApproval: "wait", waitMs: 1_000 });
  answers(echo, [say("Never.")]);
  await expect(ask(token)).rejects.toMatchObject({ status: 403, code: "approval_required" });
  expect((await newestRun()).status).toBe("stopped");
});

test("a run that is stopped in the page while it waits is told as stopped", async () => {
  const token = await tokenWith({ servers: ["fixture"], onApproval: "wait" });
  answers(echo, [say("Never.")]);
  const answer = ask(token).catch((cause: unknown) => cause);
  await expect.poll(async () => (await newestRun()).status).toBe("waiting");
  await callApi("POST", `/api/runs/${(await newestRun()).id}/stop`, {});
  expect(await answer).toMatchObject({ status: 403, code: "stopped" });
});

test("who goes away while a person is waited for withdraws the question", async () => {
  const token = await tokenWith({ servers: ["fixture"], onApproval: "wait" });
  answers(echo, [say("Never.")]);
  const abort = new AbortController();
  const body = { model: testModel, messages: hello };
  const answer = openai(token).chat.completions.create(body, { signal: abort.signal });
  await expect.poll(async () => (await newestRun()).status).toBe("waiting");
  abort.abort();
  await expect(answer).rejects.toThrow();
  await expect.poll(async () => (await newestRun()).status).toBe("stopped");
});

test("tool_choice holds for the first turn, none for all", async () => {
  await allow("mcp:fixture:*");
  const token = await tokenWith({ servers: ["fixture"] });
  answers(echo, [say("It says 1.")]);
  await ask(token, { tool_choice: "required" });
  expect(asked().map(({ body }) => body.tool_choice)).toEqual(["required", undefined]);
  answers([say("Without.")]);
  await ask(token, { tool_choice: "none" });
  expect(asked()[0]?.body.tool_choice).toBe("none");
  await allow("");
});

test("an answer ends before a stop word, however it comes in pieces", async () => {
  const token = await tokenWith({});
  for (const [said, stop, told] of [
    [["one two ", "END of it"], "END", "one two "],
    [["one tw", "o E", "N", "D more"], ["END", "never"], "one two "],
    [["one EN", "TER"], "END", "one ENTER"],
    [["one EN"], "END", "one EN"],
  ] as const) {
    answers([...said.map((text) => say(text, { pieces: 1 })), usage(4, 4)]);
    const whole = await ask(token, { stop });
    expect(whole.choices[0]).toMatchObject({ message: { content: told }, finish_reason: "stop" });
    const chunks = await allOf(await stream(token, { stop }));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(told);
  }
});

const schema = { type: "object", properties: { age: { type: "number" } }, required: ["age"] };
const asJson = { response_format: { type: "json_schema", json_schema: { name: "a", schema } } };

test("an answer fits the schema that was asked for, also after tools", async () => {
  const token = await tokenWith({});
  answers([say('{"age": "old"}')], [say('{"age": 7}')]);
  for (const send of [ask, stream]) {
    answers([say('{"age": "old"}')], [say('{"age": 7}')]);
    const got = await send(token, asJson);
    const text =
      "choices" in got
        ? got.choices[0]?.message.content
        : (await allOf(got)).map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    expect(text).toBe('{"age":7}');
  }
  answers([say('{"any": [1]}')]);
  const object = await ask(token, { response_format: { type: "json_object" } });
  expect(object.choices[0]?.message.content).toBe('{"any":[1]}');
  await allow("mcp:fixture:*");
  answers([say("One moment."), ...echo], [callTools({ name: "meguri__answer", args: { age: 8 } })]);
  const after = await ask(await tokenWith({ servers: ["fixture"] }), asJson);
  expect(after.choices[0]?.message.content).toBe('{"age":8}');
  await allow("");
});

const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${dot}` } };
const document = {
  type: "file",
  file: { filename: "notes.txt", file_data: `data:text/plain;base64,${btoa("Buy milk.")}` },
};

test("pictures and documents reach the model in their places", async () => {
  answers([say("A dot.")]);
  await callApi("PATCH", "/api/settings", { models: { [testModel]: { images: true } } });
  const content = [{ type: "text", text: "See" }, picture, { type: "text", text: "and read" }, document];
  await ask(await tokenWith({}), { messages: [{ role: "user", content }] });
  const [message] = (asked()[0]?.body.messages ?? []) as { content: { type: string }[] }[];
  expect(message?.content.map(({ type }) => type)).toEqual(["text", "image_url", "text", "text"]);
  expect(JSON.stringify(message)).toContain(dot);
  expect(JSON.stringify(message)).toContain("Buy milk.");
});

test.each([
  ["image_url.url", { type: "image_url", image_url: { url: "http://example.com/a.png" } }],
  ["image_url.url", { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
  ["image_url.url", { type: "image_url", image_url: { url: document.file.file_data } }],
  ["file.file_data", { type: "file", file: { file_data: "AAAA" } }],
  ["file", { type: "file" }],
])("what is wrong with a file is said of %s", async (field, part) => {
  const error = await ask(await tokenWith({}), { messages: [{ role: "user", content: [part] }] }).catch(
    (cause: unknown) => cause,
  );
  const param = `messages[0].content[0].${field}`;
  expect(error).toMatchObject({ param });
  expect([400, 415]).toContain((error as { status: number }).status);
  expect((error as Error).message).toContain(`${param}: `);
});
