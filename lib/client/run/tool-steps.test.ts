import { expect, test } from "vitest";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import { announced, hasRun, settled, started } from "./tool-steps";

const asked = announced({ type: "tool_call", id: "a" as ToolCallId, name: "shop__show", args: {} });
const ended = (status: ToolResult["status"], reason?: ToolResult["reason"]) =>
  hasRun(settled(asked, { id: asked.id, status, content: [], ...(reason && { reason }) }, 1, 5));

test("a call has run when its tool has answered, also with a failure, and while it is running", () => {
  expect(ended("ok")).toBe(true);
  expect(ended("error")).toBe(true);
  expect(ended("error", "unfinished")).toBe(true);
  expect(hasRun(started(asked, {}, 4))).toBe(true);
});

test("a call that was refused, declined, cut off before it was sent or still waits has not run", () => {
  expect(hasRun(asked)).toBe(false);
  expect(hasRun({ ...asked, state: "waiting" })).toBe(false);
  expect(ended("error", "not_run")).toBe(false);
  expect(ended("error", "cut_short")).toBe(false);
  for (const reason of ["not_run", "declined", "left_open", undefined] as const)
    expect(ended("denied", reason), reason).toBe(false);
});

test("nobody knows whether a call has run whose outcome is unknown", () => {
  expect(ended("unknown", "unfinished")).toBe(false);
  expect(ended("unknown", "cancelled")).toBe(false);
});
