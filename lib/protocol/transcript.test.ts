import { expect, test } from "vitest";
import { call, ok, stop, text, toolCall, user } from "@/lib/agent/testing/scripted";
import type { Chunk } from "./chunk";
import type { ToolCallId } from "./ids";
import { Transcript } from "./transcript";

const fold = (...log: Chunk[]) => {
  const transcript = new Transcript();
  for (const chunk of log) transcript.add(chunk);
  return transcript;
};
const result = (id: string): Chunk => ({ type: "tool_result", result: ok(id as ToolCallId), durationMs: 1 });

test("pieces of text and reasoning become parts in the order in which they began", () => {
  const { delta } = fold(
    { type: "reasoning", content: "hm" },
    { type: "reasoning", content: "m" },
    text("It "),
    text("is"),
    { type: "reasoning", content: "?" },
    stop("end_turn"),
  );
  expect(delta).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hmm" },
        { type: "text", text: "It is" },
        { type: "reasoning", text: "?" },
      ],
    },
  ]);
});

test("a signature closes its part, so that the next piece cannot overwrite it", () => {
  const { delta } = fold(
    { type: "reasoning", content: "a" },
    { type: "reasoning", content: "b", signature: "s1" },
    { type: "reasoning", content: "c", signature: "s2" },
    { type: "text", content: "d", signature: "s3" },
    { type: "text", content: "e" },
    stop("end_turn"),
  );
  expect(delta[0]).toMatchObject({
    parts: [
      { text: "ab", signature: "s1" },
      { text: "c", signature: "s2" },
      { text: "d", signature: "s3" },
      { text: "e" },
    ],
  });
});

test("calls come after the text, and only when the turn ended whole", () => {
  const whole = fold(call("a"), text("x"), stop("tool_use"));
  expect(whole.delta).toEqual([{ role: "assistant", parts: [{ type: "text", text: "x" }, toolCall("a")] }]);
  const withoutCalls = [{ role: "assistant", parts: [{ type: "text", text: "x" }] }];
  expect(fold(text("x"), call("a"), stop("max_tokens")).delta).toEqual(withoutCalls);
  expect(fold(text("x"), call("a")).close().delta).toEqual(withoutCalls);
  expect(fold(text("x"), call("a"), { type: "iteration", index: 2 }).delta).toEqual(withoutCalls);
  expect(fold(call("a")).close().delta).toEqual([]);
});

test("results of one round stand in one message, in the order of the calls", () => {
  const { delta } = fold(
    call("a"),
    call("b"),
    stop("tool_use"),
    result("b"),
    { type: "tool_progress", id: toolCall("a").id, progress: 1 },
    result("a"),
  );
  expect(delta[1]).toEqual({ role: "tool", results: [ok(toolCall("a").id), ok(toolCall("b").id)] });
});

test("a message goes in where it came, and the next results start anew", () => {
  const { delta } = fold(
    call("a"),
    stop("tool_use"),
    result("a"),
    { type: "message", message: user("Faster.") },
    call("b"),
    stop("tool_use"),
    result("b"),
  );
  expect(delta.map(({ role }) => role)).toEqual(["assistant", "tool", "user", "assistant", "tool"]);
});

test("knows which calls were sent and have no result", () => {
  const start = (id: string): Chunk => ({ type: "tool_start", id: id as ToolCallId, args: {} });
  expect([...fold(start("a"), start("b"), result("a")).sent]).toEqual(["b"]);
});

test("takes up its own agent, and the tokens of all", () => {
  const transcript = new Transcript([], [], "writer");
  transcript.add({ ...text("mine"), agent: "writer" });
  transcript.add({ ...text("other"), agent: "critic" });
  transcript.add({ ...stop("end_turn"), agent: "critic" });
  transcript.add({
    type: "usage",
    inputTokens: 4,
    outputTokens: 2,
    cachedInputTokens: 3,
    stopReason: "end_turn",
    agent: "writer",
  });
  expect(transcript.delta).toEqual([{ role: "assistant", parts: [{ type: "text", text: "mine" }] }]);
  expect(transcript.usage).toEqual({ inputTokens: 5, outputTokens: 3, cachedInputTokens: 3 });
});
