import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { ConversationDetail, RunItem, StoredMessage } from "@/lib/protocol/http";
import { callTools, hang, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, kinds, readStream } from "./testing/call-api";
import { withFolder } from "./testing/with-folder";

const { folder, script, model } = await withFolder();
beforeEach(async () => {
  await rm(join(folder, "late"), { recursive: true, force: true });
});

const list = (name: string) => ({
  name: "filesystem__list_directory",
  args: { path: join(folder, name) },
  id: `call_${name}`,
});
const write = { name: "filesystem__write_file", args: { path: join(folder, "note.md"), content: "hi" } };
const detail = async (id: string): Promise<ConversationDetail> =>
  (await callApi("GET", `/api/conversations/${id}`)).json();
const run = async (id: string): Promise<RunItem> => (await callApi("GET", `/api/runs/${id}`)).json();
const chat = (body: object) => callApi("POST", "/api/chat", { model: "openai/test", ...body });
const ask = async (...turns: Step[][]) => {
  script.turns = turns;
  return readStream(await chat({ message: { text: "Look" } }));
};
const callsIn = (message: StoredMessage | undefined) =>
  message?.role === "assistant" ? message.parts.filter((part) => part.type === "tool_call") : [];
const resultsIn = (messages: readonly StoredMessage[]) =>
  messages.flatMap((message) => (message.role === "tool" ? message.results : []));

/** Has the call with this number of the answer's only round run again. */
async function again(conversationId: string, at: number, ...turns: Step[][]) {
  const { messages } = await detail(conversationId);
  const asking = messages.findLast((message) => callsIn(message).length > 0);
  const fromCall = callsIn(asking)[at]?.id;
  script.turns = turns;
  return readStream(await chat({ conversationId, regenerate: asking?.id, fromCall }));
}

test("a failed call runs again under a new id, beside what stood before it, and the model goes on from it", async () => {
  const first = await ask(
    [callTools(list("."))],
    [say("And there."), callTools(list("."), list("late"))],
    [say("It is not there.")],
  );
  const old = (await detail(first.conversationId)).messages;
  expect(resultsIn(old).map(({ status }) => status)).toEqual(["ok", "ok", "error"]);
  await mkdir(join(folder, "late"));
  const second = await again(first.conversationId, 1, [say("Now it is.")]);
  expect(second.status).toBe("completed");
  expect(kinds(second.chunks)).toBe("tool_start tool_result iteration text result");

  const { messages } = await detail(first.conversationId);
  expect(messages.map(({ role }) => role).join(" ")).toBe(
    "user assistant tool assistant tool tool assistant",
  );
  expect(resultsIn(messages).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
  expect(messages.at(-1)).toMatchObject({ parts: [{ text: "Now it is." }], runId: second.runId });
  const [before, now] = [old, messages].map((all) => callsIn(all[3]).map(({ id }) => id));
  expect(now?.[0]).toBe(before?.[0]);
  expect(now?.[1]).toMatch(/^call_[0-9a-f]{32}$/);
  expect(now?.[1]).not.toBe(before?.[1]);
  expect(model.requests.at(-1)?.toolResults).toHaveLength(3);
  expect((await run(second.runId)).answeredCalls).toMatchObject([{ id: now?.[1], status: "ok" }]);

  expect(messages[1]?.siblings).toEqual([old[1]?.id, messages[1]?.id]);
  await callApi("PATCH", `/api/conversations/${first.conversationId}`, { leafId: old[1]?.id });
  const strip = (all: StoredMessage[]) => all.map(({ siblings: _, ...message }) => message);
  expect(strip((await detail(first.conversationId)).messages)).toEqual(strip(old));
});

test("it asks as any call does: denied before, it can be allowed now, and works once", async () => {
  const first = await ask([callTools(write)]);
  const [asked] = (await run(first.runId)).pending;
  script.turns = [[say("Then not.")]];
  const denied = await (
    await callApi("POST", `/api/runs/${first.runId}/answer`, {
      requestId: asked?.requestId,
      decision: "deny",
    })
  ).json();
  await readStream(await callApi("GET", `/api/runs/${denied.runId}/stream`));

  const second = await again(first.conversationId, 0);
  expect(second.status).toBe("waiting");
  const [question] = (await run(second.runId)).pending;
  expect(question).toMatchObject({ type: "approval_request", reason: "rule", call: { name: write.name } });
  expect(question?.requestId).not.toBe(asked?.requestId);
  expect((await detail(first.conversationId)).runs.map(({ id }) => id)).toContain(second.runId);
  expect(existsSync(write.args.path)).toBe(false);
  script.turns = [[say("Written.")]];
  const { runId } = await (
    await callApi("POST", `/api/runs/${second.runId}/answer`, {
      requestId: question?.requestId,
      decision: "approve",
    })
  ).json();
  const third = await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
  expect(third.status).toBe("completed");
  expect(existsSync(write.args.path)).toBe(true);
  const { messages } = await detail(first.conversationId);
  expect(resultsIn(messages)).toMatchObject([{ status: "ok" }]);
});

test("a new message denies the call that waits to run again", async () => {
  const first = await ask([callTools(list("late"))], [say("No.")]);
  await callApi("PATCH", "/api/settings", {
    rules: [{ pattern: "mcp:filesystem:list_directory", effect: "ask" }],
  });
  const second = await again(first.conversationId, 0);
  expect(second.status).toBe("waiting");
  script.turns = [[say("Something else.")]];
  const next = await readStream(
    await chat({ conversationId: first.conversationId, message: { text: "Never mind" } }),
  );
  await callApi("PATCH", "/api/settings", { rules: [] });
  expect(next.status).toBe("completed");
  expect(await run(second.runId)).toMatchObject({ status: "stopped", pending: [] });
  const { messages } = await detail(first.conversationId);
  expect(resultsIn(messages)).toMatchObject([{ status: "denied" }]);
});

test("a call of an answer that waits in a later round is left alone, and the wait as it is", async () => {
  const first = await ask([callTools(list("late"))], [callTools(write)]);
  expect(first.status).toBe("waiting");
  const { messages } = await detail(first.conversationId);
  const [call] = callsIn(messages[1]);
  const response = await chat({
    conversationId: first.conversationId,
    regenerate: messages[1]?.id,
    fromCall: call?.id,
  });
  expect([response.status, (await response.json()).error.code]).toEqual([409, "run_active"]);
  expect((await run(first.runId)).pending).toMatchObject([{ type: "approval_request" }]);
});

test("what cannot run again is refused, and the field is named", async () => {
  const one = await ask([callTools(list("late"))], [say("No.")]);
  const other = await ask([callTools(list("late"))], [say("No.")]);
  const callOf = async (id: string) => callsIn((await detail(id)).messages[1])[0]?.id ?? "";
  const place = { conversationId: one.conversationId, regenerate: one.messageId };
  const refused = async (body: object) => {
    const response = await chat(body);
    const { error } = await response.json();
    return [response.status, error.code, error.message];
  };
  const inWords = expect.any(String);
  const fromCall = expect.stringContaining("fromCall");
  expect(await refused({ ...place, fromCall: "call_none" })).toEqual([404, "not_found", fromCall]);
  expect(await refused({ ...place, fromCall: await callOf(other.conversationId) })).toEqual([
    404,
    "not_found",
    fromCall,
  ]);
  const own = await callOf(one.conversationId);
  expect(await refused({ message: { text: "x" }, fromCall: own })).toEqual([400, "invalid_input", fromCall]);
  expect(await refused({ ...place, fromCall: own, agent: "document" })).toEqual([
    400,
    "invalid_input",
    fromCall,
  ]);
  expect(await refused({ ...place, regenerate: "none", fromCall: own })).toEqual([
    404,
    "not_found",
    expect.stringContaining("regenerate"),
  ]);
  expect(await refused({ ...place, conversationId: "none", fromCall: own })).toEqual([
    404,
    "not_found",
    inWords,
  ]);

  const waiting = await ask([callTools(write, list("."))]);
  const there = { conversationId: waiting.conversationId, regenerate: waiting.messageId };
  const ended = callsIn((await detail(waiting.conversationId)).messages[1])[1]?.id;
  expect(await refused({ ...there, fromCall: ended })).toEqual([409, "run_active", inWords]);

  script.turns = [[say("I go on"), hang]];
  const running = await chat({ conversationId: one.conversationId, message: { text: "More" } });
  expect(await refused({ ...place, fromCall: own })).toEqual([409, "run_active", inWords]);
  await callApi("POST", `/api/runs/${running.headers.get("x-run-id")}/stop`, {});
  await running.text();
});
