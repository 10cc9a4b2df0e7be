import { expect, test } from "vitest";
import type { ConversationItem, RunStatus } from "@/lib/protocol/http";
import { addHandled, allHandled, endedRun, findUnhandled, parseHandled } from "./ended-runs";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

const item = (id: string, status: RunStatus | null, minute: number): ConversationItem => ({
  ...{
    id,
    title: `About ${id}`,
    leafId: null,
    pinned: false,
    archived: false,
    projectId: null,
    activeRunId: null,
  },
  ...{ status, createdAt: at(0), updatedAt: at(minute) },
});

test("a person is told of what is finished, waits, failed or was interrupted, and of nothing else", () => {
  const kinds = (["completed", "waiting", "failed", "interrupted", "running", "stopped", null] as const).map(
    (status) => endedRun(item("a", status, 1))?.kind ?? null,
  );
  expect(kinds).toEqual(["finished", "waiting", "failed", "failed", null, null, null]);
  expect(endedRun(item("a", "interrupted", 1))?.isInterrupted).toBe(true);
});

test("what is there when a browser comes first is old; what ends afterwards is not", () => {
  const handled = allHandled([item("a", "completed", 1), item("b", "running", 5)]);
  expect(findUnhandled([item("a", "completed", 1), item("b", "running", 5)], handled)).toEqual([]);
  const found = findUnhandled([item("a", "completed", 6), item("b", "waiting", 7)], handled);
  expect(found.map(({ conversationId }) => conversationId)).toEqual(["b", "a"]);
});

test("an end is dealt with once, and the next one of the same conversation again", () => {
  const waiting = item("a", "waiting", 2);
  const handled = addHandled(
    allHandled([item("a", "running", 1)]),
    findUnhandled([waiting], { floor: "", runs: [] }),
  );
  expect(findUnhandled([waiting], handled)).toEqual([]);
  expect(findUnhandled([item("a", "running", 2)], handled)).toEqual([]);
  expect(findUnhandled([item("a", "completed", 3)], handled)).toHaveLength(1);
});

test("an end that is seen late counts, though a later one was dealt with already", () => {
  const handled = addHandled(allHandled([]), findUnhandled([item("b", "completed", 5)], allHandled([])));
  expect(findUnhandled([item("a", "completed", 4), item("b", "completed", 5)], handled)).toMatchObject([
    { conversationId: "a" },
  ]);
});

test("what is remembered has a bound, and what falls out of it is not told again", () => {
  const items = Array.from({ length: 450 }, (_, index) => item(`c${index}`, "completed", index + 1));
  const handled = addHandled(allHandled([]), findUnhandled(items, allHandled([])));
  expect(handled.runs).toHaveLength(200);
  expect(findUnhandled(items, handled)).toEqual([]);
  expect(findUnhandled([item("new", "failed", 451)], handled)).toHaveLength(1);
});

test("what was stored comes back, and what nobody can read is as if nothing was", () => {
  const handled = addHandled(allHandled([]), findUnhandled([item("a", "completed", 1)], allHandled([])));
  expect(parseHandled(JSON.stringify(handled))).toEqual(handled);
  for (const text of [
    null,
    "",
    "{",
    "[]",
    '{"floor":1,"runs":[]}',
    '{"floor":"","runs":[["a"]]}',
    '{"floor":"","runs":["ab"]}',
    '{"floor":""}',
  ])
    expect(parseHandled(text)).toBeNull();
});
