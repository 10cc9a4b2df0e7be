import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { type ModelMessage, modelHistory } from "@/lib/protocol/history";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, kinds, readStream } from "./testing/call-api";
import {
  answer,
  ask,
  chat,
  detail,
  follow,
  forked,
  inWords,
  list,
  model,
  note,
  run,
  script,
  seqOf,
  write,
} from "./testing/fork";
import { again, rerun } from "./testing/go-on";

const refused = async (id: string, body: object) => {
  const response = await rerun(id, body);
  const { error } = await response.json();
  return [response.status, error.code, error.message];
};

/** What a model reads of an answer; ids of calls are the adapter's. */
async function historyOf(runId: string): Promise<string> {
  const { conversationId, messageId } = await run(runId);
  const { store } = await getDeps();
  const leafId = await store.messages.newestLeaf(conversationId, messageId);
  const { rows } = await store.messages.branch(conversationId, leafId);
  const at = rows.findIndex(({ id }) => id === messageId);
  const names = new Map<string, string>();
  const nameOf = (id: string) => names.get(id) ?? names.set(id, `call ${names.size + 1}`).get(id);
  const plain = (message: ModelMessage) =>
    JSON.parse(JSON.stringify(message), (key, value) => (key === "id" ? nameOf(value) : value));
  return JSON.stringify(modelHistory(rows.slice(at + 1).map(({ message }) => message)).map(plain));
}

const answers = () => [[say("I write."), callTools(list("."), list("."), write)], [say("Done.")]];

/** An answer of two runs, as its call waited for a person. */
async function recorded() {
  const first = await ask(answers()[0] as Step[]);
  script.turns = [[say("Done.")]];
  const second = await follow(await answer(first.runId, "approve"));
  expect([first.status, second.status, existsSync(note)]).toEqual(["waiting", "completed", true]);
  await rm(note);
  return { first, second };
}

test("the same model gets the same history, no tool is called, and nobody is asked", async () => {
  const { first, second } = await recorded();
  for (const { runId } of [first, second]) {
    const tape = await again(runId, { tape: "strict" }, ...answers());
    expect([tape.status, kinds(tape.chunks)]).toEqual([
      ...["completed", "iteration text tool_input tool_call tool_result iteration text result"],
    ]);
    expect(await historyOf(tape.runId)).toBe(await historyOf(first.runId));
    expect(existsSync(note)).toBe(false);
    expect((await run(tape.runId)).rerunOf).toEqual({ runId, tape: "strict" });
  }
});

test("the question gets another version of itself, and the answer that is shown stays", async () => {
  const { second } = await recorded();
  const before = (await detail(second.conversationId)).messages;
  const tape = await again(
    second.runId,
    {
      ...{ tape: "strict", model: "openai/other", effort: "low" },
      ...{ text: "Look here", instructions: "Write in verse." },
    },
    ...answers(),
  );
  const sent = model.requests.at(-1);
  expect([sent?.model, sent?.lastUserText, sent?.body.reasoning_effort]).toEqual([
    ...["other", "Look here", "low"],
  ]);
  expect(JSON.stringify(sent?.body)).toContain("Write in verse.");
  const { messages } = await detail(second.conversationId);
  expect(messages.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(messages[0]?.siblings).toEqual([before[0]?.id, tape.messageId]);
});

test("a tape of a tape, and of a fork with what it begins with", async () => {
  const { second } = await recorded();
  const one = await again(second.runId, { tape: "strict" }, ...answers());
  const two = await again(one.runId, { tape: "strict" }, ...answers());
  expect(two.status).toBe("completed");
  const fork = await forked(one.runId, { afterSeq: seqOf(one.chunks, "tool_result", 3) }, [say("Else.")]);
  expect((await run(fork.runId)).rerunOf).toBeUndefined();
  const three = await again(fork.runId, { tape: "strict" }, ...answers());
  expect(three.status).toBe("completed");
  expect(existsSync(note)).toBe(false);
});

test("strict: a call that is not recorded ends the run with its name", async () => {
  const { second } = await recorded();
  const tape = await again(second.runId, { tape: "strict" }, [callTools(list("."), list("elsewhere"))]);
  expect(tape.status).toBe("failed");
  expect((await run(tape.runId)).error).toEqual({
    code: "tape_miss",
    message: expect.stringContaining("filesystem__list_directory"),
  });
  expect(tape.chunks.filter(({ type }) => type === "tool_start")).toEqual([]);
});

test("ask: a call that is not recorded asks, and what goes on after the answer has the rest of the tape", async () => {
  const { second } = await recorded();
  const unknown = list("..");
  const tape = await again(second.runId, { tape: "ask" }, [callTools(list("."), unknown)]);
  expect(tape.status).toBe("waiting");
  expect((await run(tape.runId)).pending).toMatchObject([{ reason: "tape", call: { args: unknown.args } }]);
  // One is left of two; the third is not recorded.
  script.turns = [[callTools(list("."), list("."))]];
  const next = await follow(await answer(tape.runId, "approve"));
  expect([next.status, kinds(next.chunks)]).toEqual([
    "waiting",
    "answer tool_start tool_result iteration tool_input tool_call tool_result approval_request result",
  ]);
  expect((await run(next.runId)).rerunOf).toEqual({ runId: second.runId, tape: "ask" });
  script.turns = [[say("So.")]];
  const last = await follow(await answer(next.runId, "deny"));
  expect(last.status).toBe("completed");
});

test("live: a call that is not recorded is made by the usual rules", async () => {
  const { second } = await recorded();
  const other = { ...write, args: { path: note, content: "else" } };
  const tape = await again(second.runId, { tape: "live" }, [callTools(write, list("late"), other)]);
  expect(tape.status).toBe("waiting");
  expect((await run(tape.runId)).pending).toMatchObject([{ reason: "rule", call: { args: other.args } }]);
  expect(tape.chunks.filter(({ type }) => type === "tool_start")).toHaveLength(1);
  expect(existsSync(note)).toBe(false);
});

test("stopped and resumed, it goes on where the tape was", async () => {
  const { second } = await recorded();
  script.turns = [[callTools(list("."))], [{ type: "hang" }]];
  const { runId } = await (await rerun(second.runId, { tape: "strict" })).json();
  await expect.poll(() => script.turns).toEqual([]);
  await callApi("POST", `/api/runs/${runId}/stop`, {});
  await follow(runId);
  script.turns = [[callTools(list("."))], [callTools(list("."))]];
  const resumed = await (await callApi("POST", `/api/runs/${runId}/resume`, {})).json();
  const rest = await follow(resumed.runId);
  expect(rest.chunks.filter(({ type }) => type === "tool_result")).toMatchObject([
    { result: { status: "ok" } },
    { result: { status: "error", reason: "not_run" } },
  ]);
  expect((await run(rest.runId)).error?.code).toBe("tape_miss");
});

test("what cannot be run again is refused, and nothing is stored", async () => {
  const { second } = await recorded();
  const { messages } = await detail(second.conversationId);
  const asked = model.requests.length;
  const field = (name: string) => [400, "invalid_input", expect.stringContaining(`${name}:`)];
  const tape = "strict";
  expect(await refused(second.runId, {})).toEqual(field("tape"));
  expect(await refused(second.runId, { tape: "loose" })).toEqual(field("tape"));
  expect(await refused(second.runId, { tape, more: 1 })).toEqual(field("more"));
  expect(await refused(second.runId, { tape, text: " " })).toEqual(field("text"));
  expect(await refused(second.runId, { tape, text: "x".repeat(400_001) })).toEqual(field("text"));
  expect(await refused(second.runId, { tape, effort: "huge" })).toEqual(field("effort"));
  expect(await refused(second.runId, { tape, instructions: "x".repeat(102_401) })).toEqual(
    field("instructions"),
  );
  expect(await refused(second.runId, { tape, model: "nobody/none" })).toEqual([
    ...[400, "unknown_model", inWords],
  ]);
  expect(await refused("none", { tape })).toEqual([404, "not_found", inWords]);
  expect(await refused(second.runId, { tape, text: "x".repeat(1_000_001) })).toContain(413);
  expect((await detail(second.conversationId)).messages).toEqual(messages);

  const waits = await ask([callTools(write)]);
  expect(await refused(waits.runId, { tape })).toEqual([409, "run_active", inWords]);
  const workflow = await readStream(
    await chat({ message: { text: "Plan" }, agent: "document", model: "demo/demo" }),
  );
  expect(await refused(workflow.runId, { tape })).toEqual([422, "not_supported", inWords]);
  const { store } = await getDeps();
  const bare = await ask([say("Hello.")]);
  await store.log.delete([bare.runId]);
  expect(await refused(bare.runId, { tape })).toEqual([422, "no_recording", inWords]);
  expect(model.requests.length).toBeLessThan(asked + 20);
});
