import { describe, expect, it } from "vitest";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import { redactedMark } from "@/lib/protocol/redacted-text";
import { mainArgument, outcomeOf, rowsOf } from "./call-summary";
import { showClock, showDuration } from "./durations";
import type { ToolView } from "./run-view";

describe("the argument that matters", () => {
  it("is what a person would look for first, with what is short beside it", () => {
    expect(mainArgument({ limit: 3, path: "notes/plan.md" })).toBe("notes/plan.md, limit=3");
    expect(mainArgument({ city: "Tokyo", radius: 12 })).toBe("Tokyo, radius=12");
    expect(mainArgument({ entities: [{ name: "Mia", entityType: "person" }] })).toBe("Mia");
  });

  it("is one line, of bounded length, and nothing where there is nothing", () => {
    expect(mainArgument({ sql: "select *\n  from t" })).toBe("select * from t");
    expect(mainArgument({ text: "x".repeat(500) })).toHaveLength(161);
    expect(mainArgument({})).toBe("");
    expect(mainArgument({ path: "", filter: null })).toBe("");
  });

  it("ends before what stands for a redacted text, and not within it", () => {
    const mark = redactedMark("e-mail address", "aiko@acme.dev");
    expect(mainArgument({ text: `${"x".repeat(150)}${mark}` })).toBe(`${"x".repeat(150)}…`);
    expect(mainArgument({ text: `${mark} ${"x".repeat(200)}` })).toContain(mark);
  });
});

describe("what came back", () => {
  it("is counted in the way that says most", () => {
    expect(outcome({ structured: { rows: [{ a: 1 }, { a: 2 }] } })).toEqual({ kind: "rows", count: 2 });
    expect(outcome({ text: '[{"day":"Tue","n":412}]' })).toEqual({ kind: "rows", count: 1 });
    expect(outcome({ text: '{"entities":[],"relations":[]}' })).toEqual({ kind: "items", count: 0 });
    expect(outcome({ text: "one\ntwo\nthree" })).toEqual({ kind: "lines", count: 3 });
    expect(outcome({ text: "Successfully wrote" })).toEqual({ kind: "text", text: "Successfully wrote" });
    expect(outcome({ text: "a long sentence that does not fit beside the others" })).toEqual({
      kind: "nothing",
    });
    const image = { type: "file", mediaType: "image/png", data: "" } as const;
    expect(outcomeOf(tool({ content: [image, image] }))).toEqual({ kind: "images", count: 2 });
  });

  it("is a number of rows only where there is nothing beside them, else of fields", () => {
    const order = {
      id: "A-20417",
      customer: { name: "Aiko Tanaka" },
      items: [{ sku: "TEA-01" }],
      total: 5800,
    };
    expect(outcome({ structured: order })).toEqual({ kind: "fields", count: 4 });
    expect(outcome({ text: JSON.stringify(order, null, 2) })).toEqual({ kind: "fields", count: 4 });
    expect(outcome({ text: '{"ok":true}' })).toEqual({ kind: "text", text: '{"ok":true}' });
  });

  it("is nothing for what failed: the words stand under the line", () => {
    expect(outcomeOf(tool({ status: "error", content: [{ type: "text", text: "no" }] }))).toEqual({
      kind: "nothing",
    });
  });

  it("is a table only for flat rows of a few columns", () => {
    expect(rowsOf([{ a: { b: 1 } }])).toBeUndefined();
    expect(rowsOf([1, 2])).toBeUndefined();
    expect(rowsOf({ a: [{ x: 1 }], b: [{ y: 1 }] })).toBeUndefined();
    expect(rowsOf({ a: [{ x: 1 }], total: 1 })).toBeUndefined();
    const oneOf13 = Array.from({ length: 13 }, (_, at) => ({ [`only${at}`]: 1 }));
    expect([rowsOf(oneOf13.slice(1)), rowsOf(oneOf13)]).toEqual([oneOf13.slice(1), undefined]);
    expect(rowsOf([{ name: "Mia", observations: ["short", "answers"] }])).toHaveLength(1);
  });
});

it("writes lengths of time as one reads them", () => {
  expect([0, 12.4, 999.4, 999.6, 2345, 59_949, 65_000].map(showDuration)).toEqual([
    "0 ms",
    "12 ms",
    "999 ms",
    "1.0 s",
    "2.3 s",
    "59.9 s",
    "1:05",
  ]);
  expect(showClock(3_723_000)).toBe("1:02:03");
});

function outcome({ text, structured }: { text?: string; structured?: unknown }) {
  return outcomeOf(tool({ content: text === undefined ? [] : [{ type: "text", text }], structured }));
}

function tool(result: Partial<ToolResult>): ToolView {
  const id = "c" as ToolCallId;
  return {
    kind: "tool",
    id,
    call: { type: "tool_call", id, name: "s__t", args: {} },
    state: "done",
    args: {},
    startedAt: null,
    durationMs: null,
    progress: null,
    result: { id, status: "ok", content: [], ...result },
  };
}
