import { expect, test } from "vitest";
import { ended, ok, text, toolCall, user } from "@/lib/agent/testing/scripted";
import type { Chunk } from "./chunk";
import type { ToolCallId } from "./ids";
import type { ChatMessage } from "./message";
import { redact, redactMessage, withoutEntered } from "./redact";

const id = "a" as ToolCallId;
const signed = { ...toolCall("a"), signature: "secret" };
const says: ChatMessage = {
  role: "assistant",
  parts: [
    { type: "reasoning", text: "hm", signature: "secret" },
    { type: "text", text: "x", signature: "secret" },
    signed,
  ],
};
const delta: ChatMessage[] = [user("x"), says, { role: "tool", results: [ok(id)] }];
const result = (historyDelta: ChatMessage[]): Chunk => ended("end_turn", { historyDelta, finalText: "x" });
const bare: ChatMessage = {
  role: "assistant",
  parts: [{ type: "reasoning", text: "hm" }, { type: "text", text: "x" }, toolCall("a")],
};

test.for<[Chunk, Chunk]>([
  [
    { type: "tool_state", id, state: "secret", at: 5 },
    { type: "tool_state", id, state: "", at: 5 },
  ],
  [
    {
      type: "answer",
      requestId: "a.1",
      id,
      answer: { input: { action: "accept", content: { pin: "secret" } } },
    },
    { type: "answer", requestId: "a.1", id, answer: { input: { action: "accept" } } },
  ],
  [
    { type: "text", content: "x", signature: "secret" },
    { type: "text", content: "x" },
  ],
  [
    { type: "reasoning", content: "x", signature: "secret", agent: "writer" },
    { type: "reasoning", content: "x", agent: "writer" },
  ],
  [
    { type: "tool_call", call: signed },
    { type: "tool_call", call: toolCall("a") },
  ],
  [
    { type: "approval_request", requestId: "a", call: signed, reason: "rule" },
    { type: "approval_request", requestId: "a", call: toolCall("a"), reason: "rule" },
  ],
  [result(delta), result([user("x"), bare, { role: "tool", results: [ok(id)] }])],
])("takes the secret out of %j and keeps the chunk", ([chunk, expected]) => {
  const before = JSON.stringify(chunk);
  expect(redact(chunk)).toEqual(expected);
  expect(JSON.stringify(chunk)).toBe(before);
});

test("a chunk without secrets stays the same object", () => {
  const chunks: Chunk[] = [
    text("x"),
    { type: "tool_call", call: toolCall("a") },
    { type: "answer", requestId: "a", id, answer: { decision: "approve", args: { n: 1 } } },
    { type: "tool_result", result: ok(id), durationMs: 1 },
  ];
  for (const chunk of chunks) expect(redact(chunk)).toBe(chunk);
});

test("of a kind of a newer version only that it is there leaves the server, as a chunk that can be sent", () => {
  const newer = { type: "of_a_newer_version", state: "secret", at: 5 } as unknown as Chunk;
  expect(redact(newer)).toEqual({ type: "of_a_newer_version", at: 5 });
});

test("redactMessage takes the signatures out of a message", () => {
  expect(redactMessage(says)).toEqual(bare);
});

test("what its owner keeps has its signatures, and nothing that was for a server alone", () => {
  const signedText: Chunk = { type: "text", content: "x", signature: "secret" };
  expect(withoutEntered(signedText)).toBe(signedText);
  expect(withoutEntered({ type: "tool_state", id, state: "secret" })).toEqual({
    type: "tool_state",
    id,
    state: "",
  });
  const input = { action: "accept" as const, content: { pin: "secret" } };
  expect(withoutEntered({ type: "answer", requestId: "a", answer: { input } })).toEqual({
    type: "answer",
    requestId: "a",
    answer: { input: { action: "accept" } },
  });
});
