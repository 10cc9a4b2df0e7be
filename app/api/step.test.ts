import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "@/lib/protocol/answer";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, readStream } from "./testing/call-api";
import { detail, folder, follow, list, model, note, resultsIn, run, script, write } from "./testing/fork";
import { asked, eachKind, goOn, refusedAnswer, restart } from "./testing/go-on";

// Of a result without words adapters tell in their own.
beforeAll(() => writeFile(join(folder, "seen.txt"), "x"));

interface WireBody {
  temperature?: number;
  messages: { role: string; content?: unknown }[];
  tools?: { function: { name: string } }[];
}
const wire = (at = -1): WireBody => model.requests.at(at)?.body as unknown as WireBody;
const wordsOf = ({ messages }: WireBody) =>
  messages.map(({ role, content }) => `${role}: ${textOf(content)}`);
const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : ((content ?? []) as { text?: string }[]).map(({ text = "" }) => text).join("");

const ask = async (...turns: Step[][]) => {
  script.turns = turns;
  const options = { step: true };
  return readStream(
    await callApi("POST", "/api/chat", { model: "openai/test", message: { text: "Look" }, options }),
  );
};
const request = async (runId: string, index: number) =>
  (await callApi("GET", `/api/runs/${runId}/requests/${index}`)).json();
const step = (runId: string, decision = "step", payload?: Answer["payload"]) =>
  goOn(runId, { decision, ...(payload && { payload }) });
const refusal = async (runId: string, decision: string, payload: unknown) => {
  const [status, message] = await refusedAnswer(runId, {
    decision,
    ...(payload !== undefined && { payload }),
  });
  expect(status).toBe(400);
  return message;
};

test("a run waits before each model call and each tool call, one after another", async () => {
  const before = model.requests.length;
  const first = await ask([callTools(list("."), list("late"))], [say("Done.")]);
  expect([eachKind(first.chunks), first.status]).toEqual(["iteration step_request result", "waiting"]);
  expect(await run(first.runId)).toMatchObject({ status: "waiting", stopReason: "awaiting_step" });
  expect(model.requests.length).toBe(before);
  // What would be sent is told before it is.
  const told = await request(first.runId, 1);

  const second = await step(first.runId);
  expect(model.requests.length).toBe(before + 1);
  expect(told.system).toBe(textOf(wire().messages[0]?.content));
  expect(told.tools.map(({ name }: { name: string }) => name)).toEqual(
    wire().tools?.map(({ function: { name } }) => name),
  );
  expect(eachKind(second.chunks)).toBe("answer iteration tool_call tool_call step_request result");
  const [one] = await asked(second.runId);
  expect(one).toMatchObject({
    kind: "tool",
    payload: { ...list("."), server: "filesystem", tool: "list_directory" },
  });

  const third = await step(second.runId);
  expect(eachKind(third.chunks)).toBe("answer tool_start tool_result step_request result");
  const fourth = await step(third.runId);
  expect(eachKind(fourth.chunks)).toBe("answer tool_start tool_result iteration step_request result");
  const last = await step(fourth.runId);
  expect([eachKind(last.chunks), last.status]).toEqual(["answer iteration text result", "completed"]);
  expect(model.requests.length).toBe(before + 2);
  // Turns in which nobody was asked do not count.
  expect(last.chunks.at(-1)).toMatchObject({ result: { iterationsUsed: 2 } });
});

test("a model is sent what a person has changed, and what it was sent tells so", async () => {
  const first = await ask([callTools(list("."))], [say("Two.")], [say("Three.")]);
  const second = await step(first.runId, "step", {
    system: "Only this.",
    params: { temperature: 0.25 },
    tools: [list("x").name],
    message: "And be brief.",
  });
  expect(wordsOf(wire())).toEqual(["system: Only this.", "user: Look", "user: And be brief."]);
  expect(wire()).toMatchObject({ temperature: 0.25, tools: [{ function: { name: list("x").name } }] });
  const told = await request(second.runId, 1);
  expect(told).toMatchObject({
    system: "Only this.",
    params: { temperature: 0.25 },
    tools: [{ name: list("x").name }],
  });
  expect(told.messages.map(({ parts }: { parts: unknown }) => textOf(parts))).toEqual([
    "Look",
    "And be brief.",
  ]);

  const third = await step(second.runId);
  const [call] = resultsIn((await detail(first.conversationId)).messages);
  expect(await refusal(third.runId, "step", { results: [{ id: "other", text: "" }] })).toMatch(
    /^payload\.results\.0\.id: /,
  );
  expect(await refusal(third.runId, "step", { tools: ["rm__rf"] })).toMatch(/^payload\.tools\.0: /);
  expect(await refusal(third.runId, "step", { args: {} })).toMatch(/^payload\.args: /);
  expect(await refusal(third.runId, "stop", { system: "" })).toMatch(/^payload: /);
  const fourth = await step(third.runId, "step", {
    results: [{ id: call?.id ?? "", text: "nothing" } as never],
  });
  expect(eachKind(fourth.chunks)).toBe("answer iteration tool_result text result");
  expect(wordsOf(wire()).slice(1)).toEqual([
    "user: Look",
    "user: And be brief.",
    "assistant: ",
    "tool: [The user entered this result.]\nnothing",
  ]);
  // Not the system prompt of the turn before: an edit is of one call.
  expect(textOf(wire().messages[0]?.content)).not.toBe("Only this.");
  const results = resultsIn((await detail(first.conversationId)).messages);
  expect(results.map(({ by, status }) => [by, status])).toEqual([
    [undefined, "ok"],
    ["person", "ok"],
  ]);
  expect((await request(fourth.runId, 1)).messages.at(-1)).toMatchObject({
    role: "tool",
    results: [{ content: [{ text: "[The user entered this result.]" }, { text: "nothing" }] }],
  });
});

test("a changed result holds although a message was sent meanwhile", async () => {
  const first = await ask([callTools(list("."))], [say("Done.")]);
  const third = await step((await step(first.runId)).runId);
  const sent = await callApi("POST", `/api/runs/${third.runId}/messages`, {
    text: "Hurry.",
    clientMessageId: crypto.randomUUID(),
    when: "next_turn",
  });
  expect(sent.status).toBe(202);
  const [call] = resultsIn((await detail(first.conversationId)).messages);
  await step(third.runId, "step", { results: [{ id: call?.id ?? "", text: "nothing" } as never] });
  expect(wordsOf(wire()).slice(2)).toEqual([
    "assistant: ",
    "tool: [The user entered this result.]\nnothing",
    "user: Hurry.",
  ]);
});

describe("a call of a tool", () => {
  test("gets the changed arguments once, and a step is the yes to a rule that would ask", async () => {
    const first = await ask([callTools(write)], [say("Written.")]);
    const second = await step(first.runId);
    expect(await asked(second.runId)).toMatchObject([{ type: "step_request", kind: "tool" }]);
    expect(await refusal(second.runId, "step", { args: { path: 3 } })).toMatch(/^payload\.args: /);
    expect(await refusal(second.runId, "step", { system: "x" })).toMatch(/^payload\.system: /);
    const third = await step(second.runId, "step", { args: { path: note, content: "changed" } });
    expect(eachKind(third.chunks)).toBe("answer tool_start tool_result iteration step_request result");
    expect(await readFile(note, "utf8")).toBe("changed");
    const [result] = resultsIn((await detail(first.conversationId)).messages);
    expect(result).toMatchObject({ status: "ok", args: { content: "changed" } });
    await step(third.runId);
    expect(wordsOf(wire()).at(-1)).toContain("The user changed the arguments before the call ran");
  });

  test("asks by its rule once the person lets the run go on by itself", async () => {
    const first = await ask([callTools(write)], [say("Written.")]);
    const second = await step(first.runId, "run_on");
    expect(eachKind(second.chunks)).toBe("answer iteration tool_call approval_request result");
    const next = await step(second.runId, "approve");
    expect([eachKind(next.chunks), next.status]).toEqual([
      "answer tool_start tool_result iteration text result",
      "completed",
    ]);
  });

  test("is not made when the person stops, and the model is not asked again", async () => {
    const before = model.requests.length;
    const first = await ask([callTools(write)], [say("Written.")]);
    const third = await step((await step(first.runId)).runId, "stop");
    expect(third.status).toBe("stopped");
    expect(model.requests.length).toBe(before + 1);
    await expect(readFile(note)).rejects.toThrow();
  });
});

test("what waits survives a restart, and is answered then", async () => {
  const first = await ask([callTools(list("."))], [say("Done.")]);
  await restart();
  expect(await asked(first.runId)).toMatchObject([{ type: "step_request", kind: "model" }]);
  const second = await step(first.runId, "step", { message: "Hello again." });
  expect(wordsOf(wire()).at(-1)).toBe("user: Hello again.");
  await restart();
  const third = await step(second.runId, "run_on");
  expect(third.status).toBe("completed");
});

test("step mode is switched while a run waits, and not once it has ended", async () => {
  const first = await ask([callTools(list("."))], [say("Done.")]);
  const patch = (step: unknown) => callApi("PATCH", `/api/runs/${first.runId}`, { step });
  expect((await patch("yes")).status).toBe(400);
  expect((await patch(false)).status).toBe(200);
  const second = await step(first.runId);
  expect([eachKind(second.chunks), second.status]).toEqual([
    "answer iteration tool_call tool_start tool_result iteration text result",
    "completed",
  ]);
  const late = await patch(true);
  expect([late.status, (await late.json()).error.code]).toEqual([409, "run_ended"]);
});

test("step mode is switched on while a run goes on", async () => {
  const held = Promise.withResolvers<void>();
  script.turns = [[{ type: "until", done: held.promise }, callTools(list("."))], [say("Done.")]];
  const before = model.requests.length;
  const response = await callApi("POST", "/api/chat", { model: "openai/test", message: { text: "Look" } });
  await expect.poll(() => model.requests.length).toBe(before + 1);
  const runId = response.headers.get("x-run-id") ?? "";
  expect(await (await callApi("PATCH", `/api/runs/${runId}`, { step: true })).json()).toMatchObject({
    id: runId,
  });
  held.resolve();
  const first = await readStream(response);
  expect(eachKind(first.chunks)).toBe("iteration tool_call step_request result");
  const second = await step(runId);
  // It holds for the runs that go on from it.
  expect(eachKind(second.chunks)).toBe("answer tool_start tool_result iteration step_request result");
});

test("what a person changed of a model call is not in the stream", async () => {
  const first = await ask([say("Done.")]);
  const second = await step(first.runId, "step", { system: "Only this." });
  expect(JSON.stringify(second.chunks)).not.toContain("Only this.");
});

test("agents that run side by side each wait, and each gets what was changed for it", async () => {
  script.turns = [[say("One.")], [say("Two.")], [say("Three.")], [say("All.")]];
  const body = { model: "openai/test", message: { text: "Look" }, agent: "review", options: { step: true } };
  const first = await readStream(await callApi("POST", "/api/chat", body));
  const questions = await asked(first.runId);
  expect(questions.map(({ type }) => type)).toEqual(["step_request", "step_request", "step_request"]);
  const before = model.requests.length;
  const answers = [];
  for (const { requestId, agent = "" } of questions as { requestId: string; agent?: string }[]) {
    const payload = { message: agent.split("/").at(-1) };
    const given = { requestId, decision: "step", payload };
    answers.push(await (await callApi("POST", `/api/runs/${first.runId}/answer`, given)).json());
  }
  expect(answers.map(({ pending }) => pending)).toEqual([2, 1, undefined]);
  const second = await follow(answers.at(-1).runId);
  // Each agent's instruction names what it looks for, and so does what was said to it.
  const sent = model.requests.slice(before).map(({ body }) => wordsOf(body as unknown as WireBody));
  expect(sent).toHaveLength(3);
  for (const words of sent) {
    const said = words.at(-1)?.replace("user: ", "") ?? "";
    expect(words[0]).toMatch(new RegExp(`for ${said} only`));
  }
  expect(await asked(second.runId)).toMatchObject([{ kind: "model", agent: "review/merger" }]);
  const last = await step(second.runId, "run_on");
  expect(last.status).toBe("completed");
});

test("what is changed of a call has a bound", async () => {
  const first = await ask([say("Done.")]);
  expect(await refusal(first.runId, "step", { system: "x".repeat(500_001) })).toMatch(/^payload: /);
  expect(await asked(first.runId)).toHaveLength(1);
});
