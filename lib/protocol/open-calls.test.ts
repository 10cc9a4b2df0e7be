import { expect, test } from "vitest";
import { ok, toolCall } from "@/lib/agent/testing/scripted";
import type { ApprovalRequest, Chunk } from "./chunk";
import type { ToolCallId } from "./ids";
import { openCalls } from "./open-calls";

const id = "a" as ToolCallId;
const asks = (reason: ApprovalRequest["reason"]): Chunk => ({
  type: "approval_request",
  requestId: id,
  call: toolCall(id),
  reason,
});
const asksInput = (requestId: string): Chunk => ({
  type: "input_request",
  requestId,
  id,
  server: "s",
  mode: "form",
  message: "Name?",
});
const approve: Chunk = { type: "answer", requestId: id, id, answer: { decision: "approve" } };
const start: Chunk = { type: "tool_start", id, args: { n: 1 } };
const result: Chunk = { type: "tool_result", result: ok(id), durationMs: 1 };

test("an approval stands until the call is sent, which uses it up", () => {
  expect(openCalls([asks("rule"), approve]).get(id)).toEqual({
    sent: false,
    reason: "rule",
    asked: [id],
    answers: { [id]: { decision: "approve" } },
  });
  expect(openCalls([asks("rule"), approve, start]).get(id)).toMatchObject({
    sent: true,
    args: { n: 1 },
    answers: {},
  });
});

test("a question that is asked anew voids the answer to the one before", () => {
  expect(openCalls([asks("rule"), approve, asks("changed_definition")]).get(id)).toEqual({
    sent: false,
    reason: "changed_definition",
    asked: [id],
    answers: {},
  });
});

test("a state takes the call up again; the questions before it are over, and sending uses it up", () => {
  const state: Chunk = { type: "tool_state", id, state: "s" };
  expect(openCalls([start, asksInput("a.1"), state, asksInput("a.2")]).get(id)).toMatchObject({
    state: "s",
    asked: ["a.2"],
  });
  expect(openCalls([start, state, start]).get(id)?.state).toBeUndefined();
});

test("a result ends the call, and whatever was open inside it", () => {
  const inner: Chunk = { ...start, id: "i" as ToolCallId, agent: `research#${id}/critic` };
  expect([...openCalls([start, inner]).keys()]).toEqual(["a", "i"]);
  expect(openCalls([start, inner, result]).size).toBe(0);
});

const asksLogin = (requestId: string): Chunk => ({
  ...{ type: "input_request", requestId, id, server: "s", mode: "url", reason: "login", message: "Sign in." },
});

test("a call that waits for a sign-in has not run: it has the yes again that sending it used up", () => {
  expect(openCalls([asks("rule"), approve, start, asksLogin("a.1")]).get(id)).toMatchObject({
    ...{ sent: false, login: "a.1", asked: [id, "a.1"], answers: { [id]: { decision: "approve" } } },
  });
  const answer: Chunk = { type: "answer", requestId: "a.1", id, answer: { input: { action: "accept" } } };
  const again = openCalls([asks("rule"), approve, start, asksLogin("a.1"), answer, start]).get(id);
  expect(again).toMatchObject({ sent: true, answers: { "a.1": { input: { action: "accept" } } } });
  expect(again?.login).toBeUndefined();
});

test("a sign-in takes back the last sending alone: what was sent before it may have run, and a task goes on", () => {
  const unknown = [start, asks("outcome_unknown"), approve, start, asksLogin("a.1")];
  expect(openCalls(unknown).get(id)).toMatchObject({
    sent: true,
    answers: { [id]: { decision: "approve" } },
  });
  const state: Chunk = { type: "tool_state", id, state: "task" };
  expect(openCalls([start, state, asksLogin("a.1")]).get(id)).toMatchObject({ sent: true, state: "task" });
  expect(openCalls([start, state, start, asksLogin("a.1")]).get(id)).toMatchObject({ state: "task" });
});
