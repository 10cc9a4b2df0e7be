import { expect, test } from "vitest";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { AssistantMessage } from "@/lib/protocol/message";
import { leaveOut } from "./leave-out";

const text = (words: string) => ({ type: "text" as const, text: words });
const thought = { type: "reasoning" as const, text: "Hm.", signature: "s1" };
const call = { type: "tool_call" as const, id: "c1" as ToolCallId, name: "one__echo", args: {} };
const types = (message: unknown) => (message as AssistantMessage).parts.map(({ type }) => type).join(" ");
const drop = () => "dropped" as const;

test("of a dropped turn thoughts stay beside its calls alone, and it is never empty", () => {
  const asking: AssistantMessage = { role: "assistant", parts: [thought, text("I look."), call] };
  expect(types(leaveOut(asking, "m1", drop))).toBe("reasoning text tool_call");
  expect(JSON.stringify(leaveOut(asking, "m1", drop))).not.toContain("I look.");
  expect(types(leaveOut({ ...asking, parts: [thought, text("So.")] }, "m1", drop))).toBe("text");
  expect(types(leaveOut({ ...asking, parts: [thought] }, "m1", drop))).toBe("text");
  // Nothing to leave out of a turn that only calls.
  const calling: AssistantMessage = { role: "assistant", parts: [thought, call] };
  expect(leaveOut(calling, "m1", drop)).toBe(calling);
});

test("a head ends between characters, keeps what only people see, and leaves out an image that does not fit", () => {
  const image = { type: "file" as const, mediaType: "image/png", data: "AAAA" };
  const shown = { ...text("For you."), audience: "user" as const };
  const content = [text("😀".repeat(41)), image, shown];
  const result = { id: "c1" as ToolCallId, status: "ok" as const, content };
  const head = leaveOut({ role: "tool", results: [result] }, "", () => ({ trimmed: 9 }));
  const left = head.role === "tool" ? (head.results[0]?.content ?? []) : [];
  expect(left.map(({ type }) => type)).toEqual(["text", "text", "text"]);
  expect(left[0]).toEqual(text("😀".repeat(4)));
  expect(left[1]).toEqual(shown);
});
