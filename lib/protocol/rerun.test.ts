import { expect, test } from "vitest";
import { openToolCalls } from "./history";
import type { ToolCallId } from "./ids";
import type { ChatMessage } from "./message";
import { keepBefore } from "./rerun";

const as = "new" as ToolCallId;
const asks = (...ids: string[]): ChatMessage => ({
  role: "assistant",
  parts: [
    { type: "text", text: "So." },
    ...ids.map((id) => ({ type: "tool_call" as const, id: id as ToolCallId, name: "s__t", args: {} })),
  ],
});
const answers = (...ids: string[]): ChatMessage => ({
  role: "tool",
  results: ids.map((id) => ({ id: id as ToolCallId, status: "ok", content: [] })),
});
const kept = (messages: ChatMessage[], call: string) =>
  keepBefore(messages, { call: call as ToolCallId, as });

const answer = [asks("a"), answers("a"), asks("b", "c", "d"), answers("b", "d"), answers("c"), asks("e")];

test("everything before the call stays, and the results of the calls beside it; the call is open by its new id", () => {
  const messages = kept(answer, "b") ?? [];
  expect(messages.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4]);
  expect(messages.map(({ message }) => message)).toEqual([
    ...answer.slice(0, 2),
    asks("new", "c", "d"),
    answers("d"),
    answers("c"),
  ]);
  expect(openToolCalls(messages.map(({ message }) => message)).map(({ id }) => id)).toEqual([as]);
  expect(answer[2]).toEqual(asks("b", "c", "d"));
});

test("a message that would hold no result is left out", () => {
  expect(kept(answer, "c")?.map(({ message }) => message)).toEqual([
    ...answer.slice(0, 2),
    asks("b", "new", "d"),
    answers("b", "d"),
  ]);
  expect(kept(answer, "a")?.map(({ message }) => message)).toEqual([asks("new")]);
});

test("without such a call there is nothing to keep", () => {
  expect(kept(answer, "z")).toBeUndefined();
});
