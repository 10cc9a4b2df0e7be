import { describe, expect, test } from "vitest";
import { ok, toolCall } from "@/lib/agent/testing/scripted";
import type { Chunk, PendingRequest } from "./chunk";
import type { ToolCallId } from "./ids";
import { pendingRequests } from "./pending-requests";

const sent = (id: string): Chunk => ({ type: "tool_start", id: id as ToolCallId, args: {} });
const result = (id: string): Chunk => ({ type: "tool_result", result: ok(id as ToolCallId), durationMs: 1 });

describe("pendingRequests", () => {
  const approval = (id: string): PendingRequest => ({
    type: "approval_request",
    requestId: id,
    call: toolCall(id),
    reason: "rule",
  });
  const input = (id: string, requestId: string): PendingRequest => ({
    type: "input_request",
    requestId,
    id: id as ToolCallId,
    server: "s",
    mode: "form",
    message: "Name?",
  });
  const budget: PendingRequest = {
    type: "budget_request",
    requestId: "more",
    limit: "tokens",
    of: 1,
    used: {},
  };
  const answer = (requestId: string, id = requestId): Chunk => ({
    type: "answer",
    requestId,
    id: id as ToolCallId,
    answer: { decision: "approve" },
  });

  test("are those without an answer, oldest first", () => {
    const log = [approval("a"), input("b", "b.1"), input("b", "b.2"), budget, answer("b.1", "b")];
    expect(pendingRequests(log)).toEqual([approval("a"), input("b", "b.2"), budget]);
    expect(pendingRequests([...log, answer("a"), answer("b.2", "b"), answer("more")])).toEqual([]);
  });

  test("are over when the call has its result", () => {
    expect(pendingRequests([approval("a"), input("b", "b.1"), result("a"), result("b")])).toEqual([]);
  });

  test("of a sub-agent are over when the call that started it has its result", () => {
    expect(pendingRequests([{ ...approval("i"), agent: "research#a" }, result("a")])).toEqual([]);
  });

  test("are over when a rule has let the call go meanwhile", () => {
    expect(pendingRequests([approval("a"), sent("a")])).toEqual([]);
  });

  test("stand again when they are asked anew after an answer", () => {
    expect(pendingRequests([approval("a"), answer("a"), sent("a"), approval("a")])).toEqual([approval("a")]);
  });

  test("of an earlier round of questions are over when the call has a new state", () => {
    const state: Chunk = { type: "tool_state", id: "a" as ToolCallId, state: "s" };
    expect(pendingRequests([input("a", "a.1"), state, input("a", "a.2")])).toEqual([input("a", "a.2")]);
  });
});
