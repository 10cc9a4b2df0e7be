import { expect, test } from "vitest";
import type { ConversationDetail, RunItem } from "@/lib/protocol/http";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, kinds, readStream, withApplication } from "./testing/call-api";

withApplication({
  filesystem: {
    command: "node",
    args: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "sandbox"],
  },
});

const ask = async (text: string, more: object = {}) =>
  readStream(await callApi("POST", "/api/chat", { message: { text }, model: "demo/demo", ...more }));
const detail = async (id: string): Promise<ConversationDetail> =>
  (await callApi("GET", `/api/conversations/${id}`)).json();
const run = async (id: string): Promise<RunItem> => (await callApi("GET", `/api/runs/${id}`)).json();

test("a question that needs tools streams its loops and stores them", async () => {
  const read = await ask("List the files");
  expect(read.chunks.map(({ id }) => id)).toEqual(read.chunks.map((_, index) => index + 1));
  expect(kinds(read.chunks)).toMatch(
    /^iteration .*tool_call tool_start tool_result iteration .*text result$/,
  );
  expect(read.status).toBe("completed");
  const { messages, runs } = await detail(read.conversationId);
  expect(messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(runs).toMatchObject([{ id: read.runId, status: "completed", stopReason: "end_turn" }]);
  expect(runs[0]?.iterations.length).toBe(3);
});

test("a resumed stream has each later event once", async () => {
  const read = await ask("List the files");
  const rest = await readStream(
    await callApi("GET", `/api/runs/${read.runId}/stream`, undefined, { "last-event-id": "3" }),
  );
  expect(rest.chunks).toEqual(read.chunks.slice(3));
  const beyond = await readStream(await callApi("GET", `/api/runs/${read.runId}/stream?after=9999`));
  expect(beyond.chunks).toEqual(read.chunks);
});

test("the same clientMessageId again attaches to the run it started", async () => {
  const [first, second] = await Promise.all([
    ask("count to 3", { clientMessageId: "once" }),
    ask("count to 3", { clientMessageId: "once" }),
  ]);
  const third = await ask("count to 3", { clientMessageId: "once" });
  expect(second).toEqual(first);
  expect(third).toEqual(first);
  expect((await detail(first.conversationId)).messages.filter(({ role }) => role === "user")).toHaveLength(1);
});

test("a tool that writes waits, goes on after the answer, and asks once", async () => {
  const waiting = await ask("write a note called api-test.md saying hello");
  expect(waiting.status).toBe("waiting");
  const { pending } = await run(waiting.runId);
  expect(pending).toMatchObject([{ type: "approval_request", reason: "rule", call: { tool: "write_file" } }]);
  const misfit = { requestId: pending[0]?.requestId, decision: "approve", args: { path: 7 } };
  const refused = await callApi("POST", `/api/runs/${waiting.runId}/answer`, misfit);
  expect((await refused.json()).error.message).toMatch(/^args: .*"content"|path/);
  const deep = `{"path":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  for (const args of [deep, JSON.stringify({ content: "x".repeat(600_000) })]) {
    const body = `{"requestId":"${pending[0]?.requestId}","decision":"approve","args":${args}}`;
    const { status } = await callApi("POST", `/api/runs/${waiting.runId}/answer`, body);
    expect([args.length, status]).toEqual([args.length, 400]);
  }
  const answer = { requestId: pending[0]?.requestId, decision: "deny", reason: "not now" };
  const { runId } = await (await callApi("POST", `/api/runs/${waiting.runId}/answer`, answer)).json();
  const next = await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
  expect(kinds(next.chunks)).toMatch(/^answer tool_result iteration .*text result$/);
  expect(next.status).toBe("completed");
  expect(await run(runId)).toMatchObject({
    continues: waiting.runId,
    status: "completed",
    answeredCalls: [{ id: pending[0]?.requestId, status: "denied" }],
  });
  const again = await callApi("POST", `/api/runs/${waiting.runId}/answer`, answer);
  expect(again.status).toBe(409);
});

test("a run whose question was answered cannot be resumed, and its call is not sent again", async () => {
  const waiting = await ask("write a note called api-test.md saying hello");
  const { pending } = await run(waiting.runId);
  const answer = { requestId: pending[0]?.requestId, decision: "deny" };
  const { runId } = await (await callApi("POST", `/api/runs/${waiting.runId}/answer`, answer)).json();
  await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
  const resumed = await callApi("POST", `/api/runs/${waiting.runId}/resume`, {});
  expect([resumed.status, (await resumed.json()).error.code]).toEqual([409, "already_answered"]);
});

test("deleting beside a send leaves no half of either", async () => {
  const { conversationId } = await ask("count to 2");
  const clientMessageId = "beside a deletion";
  const body = { conversationId, message: { text: "count to 2" }, clientMessageId, model: "demo/demo" };
  const [sent, deleted] = await Promise.all([
    callApi("POST", "/api/chat", body),
    callApi("DELETE", `/api/conversations/${conversationId}`),
  ]);
  expect(deleted.status).toBe(200);
  await sent.text();
  // Whichever came first: nobody sees a message or a run of what was sent, and none goes on.
  const { store } = await getDeps();
  const runId = sent.headers.get("x-run-id");
  expect(runId && (await store.runs.get("local", runId))).toBeFalsy();
  expect(
    (await store.runs.withStatus("running")).filter((row) => row.conversationId === conversationId),
  ).toEqual([]);
  expect((await callApi("GET", `/api/conversations/${conversationId}`)).status).toBe(404);
  for (const id of [clientMessageId, "after it"])
    expect((await callApi("POST", "/api/chat", { ...body, clientMessageId: id })).status).toBe(404);
  const restored = await callApi("POST", "/api/conversations/batch", {
    ids: [conversationId],
    action: "restore",
  });
  expect(restored.status).toBe(200);
  // Where it is back for a day, the message and its run are both there, or neither is.
  const asked = (await detail(conversationId)).messages.filter(({ role }) => role === "user");
  const isStored = Boolean(runId && (await store.runs.get("local", runId)));
  expect(asked).toHaveLength(isStored ? 2 : 1);
});

test.each([
  ["a cursor of somebody else", "GET", "/api/conversations?cursor=garbage", 400],
  ["a cursor of somebody else for shares", "GET", "/api/shares?cursor=garbage", 400],
  ["an unknown query field", "GET", "/api/conversations?colour=red", 400],
])("%s is refused", async (_, method, path, status) => {
  expect((await callApi(method, path)).status).toBe(status);
});

test("an older page of a message that is not there is refused", async () => {
  const { conversationId } = await ask("count to 2");
  expect((await callApi("GET", `/api/conversations/${conversationId}?before=nonsense`)).status).toBe(404);
});

test("a parent without its conversation is refused and leaves nothing behind", async () => {
  const before = await (await callApi("GET", "/api/conversations")).json();
  const body = { message: { text: "x" }, parentId: "nope", model: "demo/demo" };
  expect((await callApi("POST", "/api/chat", body)).status).toBe(400);
  expect(await (await callApi("GET", "/api/conversations")).json()).toEqual(before);
});

test("a new message while a run waits denies its open calls", async () => {
  const waiting = await ask("write a note called api-test.md saying hello");
  const next = await ask("count to 3", { conversationId: waiting.conversationId });
  expect(next.status).toBe("completed");
  const { messages } = await detail(waiting.conversationId);
  expect(messages.map(({ role }) => role).join(" ")).toMatch(/assistant tool user assistant$/);
  expect(messages.findLast((m) => m.role === "tool")).toMatchObject({ results: [{ status: "denied" }] });
  expect(await run(waiting.runId)).toMatchObject({ status: "stopped", pending: [] });
});

test("regenerate makes a sibling, and the conversation shows the new one", async () => {
  const first = await ask("count to 3");
  const body = { conversationId: first.conversationId, regenerate: first.messageId, model: "demo/demo" };
  const second = await readStream(await callApi("POST", "/api/chat", body));
  expect(second.messageId).toBe(first.messageId);
  const { messages } = await detail(first.conversationId);
  expect(messages).toHaveLength(2);
  expect(messages[1]?.siblings).toHaveLength(2);
  expect(messages[1]?.runId).toBe(second.runId);
});

test.each([
  ["an empty text", { message: { text: "" } }, 400, "invalid_input"],
  ["an unknown field", { message: { text: "x" }, colour: "red" }, 400, "invalid_input"],
  ["nothing", {}, 400, "invalid_input"],
  ["broken JSON", "{", 400, "invalid_json"],
  ["an unknown model", { message: { text: "x" }, model: "nobody/nothing" }, 400, "unknown_model"],
  ["an unknown conversation", { message: { text: "x" }, conversationId: "nope" }, 404, "not_found"],
  ["an unknown agent", { message: { text: "x" }, agent: "nobody" }, 404, "not_found"],
  ["too large a body", { message: { text: "x".repeat(1_100_000) } }, 413, "body_too_large"],
])("%s is refused in words", async (_, body, status, code) => {
  const response = await callApi("POST", "/api/chat", body);
  expect(response.status).toBe(status);
  const { error } = await response.json();
  expect(error.code).toBe(code);
  expect(error.message.length).toBeGreaterThan(10);
});
