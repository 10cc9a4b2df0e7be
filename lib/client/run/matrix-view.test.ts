import { expect, test } from "vitest";
import type { ListedRun } from "@/lib/protocol/http";
import type { Matrix, MatrixCell } from "@/lib/protocol/matrix";
import type { RunComparison } from "@/lib/protocol/run-comparison";
import {
  budgetOf,
  cellAfter,
  findCheapest,
  firstDifference,
  recordingsBeside,
  rowsOf,
  totalOf,
  wordOf,
} from "./matrix-view";

const usage = { inputTokens: 90, outputTokens: 10 };
const cell = (more: Partial<MatrixCell> = {}): MatrixCell => ({
  ...{ runId: "r", model: "a/one", result: "x", last: "x", status: "completed", usage, cost: 0.02 },
  ...{ latencyMs: 1_000, loops: 2, calls: 1, sent: 0, sameCalls: true, sameAnswer: true, asks: null },
  ...{ error: null, conversationId: "c", messageId: "m", ...more },
});
const matrix = (cells: MatrixCell[], more: Partial<Matrix> = {}): Matrix => ({
  ...{ id: "m", createdAt: "2026-01-01T00:00:00.000Z", status: "running", tape: "ask", cells },
  ...{ budget: { cost: 1 }, spent: { tokens: 200, cost: 0.25 }, unpriced: "ask" },
  tapes: [{ runId: "r", question: "Why?", model: "a/one", isGone: false, usage, cost: 0.04, calls: 1 }],
  models: [...new Set(cells.map(({ model }) => model))],
  ...more,
});

test("a completed answer is called by what is the same, any other by how it stands", () => {
  const words = (sameCalls: boolean, sameAnswer: boolean) => wordOf(cell({ sameCalls, sameAnswer }));
  expect([words(true, true), words(true, false), words(false, true), words(false, false)]).toEqual([
    ...["recorded", "sameCalls", "sameAnswer", "otherAnswer"],
  ]);
  expect(wordOf(cell({ status: "running", loops: 0 }))).toBe("begins");
  expect(wordOf(cell({ status: "paused" }))).toBe("paused");
});

test("the cheapest of a row is one of several that have ended and have a price", () => {
  const other = { model: "a/two" };
  expect([...findCheapest(matrix([cell(), cell({ ...other, cost: 0.01 })]))]).toEqual([1]);
  expect([...findCheapest(matrix([cell(), cell({ ...other, cost: null })]))]).toEqual([]);
  expect([...findCheapest(matrix([cell(), cell({ ...other, status: "failed", cost: 0 })]))]).toEqual([]);
  const rows = [cell(), cell(other), cell({ cost: 0.01 }), cell(other)];
  expect([...findCheapest(matrix(rows))]).toEqual([0, 1, 2]);
});

test("what is expected is what the model took elsewhere, else what was recorded, less what is used", () => {
  const queued = { status: "queued", usage: { inputTokens: 0, outputTokens: 0 }, cost: null } as const;
  const running = { status: "running", cost: 0.005 } as const;
  const view = budgetOf(matrix([cell(), cell({ model: "a/two", ...queued }), cell(queued), cell(running)]));
  expect(view).toMatchObject({ limit: "cost", used: 0.25, of: 1 });
  expect(view.expected).toBeCloseTo(0.04 + 0.02 + 0.015);
  expect(budgetOf(matrix([cell(queued)], { budget: { cost: 1, tokens: 250 } }))).toMatchObject({
    ...{ limit: "tokens", used: 200, of: 250, expected: 100 },
  });
  expect(budgetOf(matrix([cell(queued)], { status: "stopped" })).expected).toBe(0);
});

test("arrows stay in the table; Home and End go to the ends of a row, with Control of the table", () => {
  const size = { columns: 3, count: 6 };
  const from = (at: number, key: string, isFar = false) => cellAfter({ key, isFar }, at, size);
  expect([from(0, "ArrowLeft"), from(3, "ArrowLeft"), from(2, "ArrowRight"), from(1, "ArrowRight")]).toEqual([
    ...[0, 3, 2, 2],
  ]);
  expect([from(1, "ArrowUp"), from(4, "ArrowUp"), from(1, "ArrowDown"), from(4, "ArrowDown")]).toEqual([
    ...[1, 1, 4, 4],
  ]);
  expect([from(4, "Home"), from(4, "End"), from(4, "Home", true), from(1, "End", true)]).toEqual([
    ...[3, 5, 0, 5],
  ]);
  expect(from(1, "x")).toBeUndefined();
  expect(from(4, "ArrowLeft", true)).toBeUndefined();
});

test("what a model took counts what has begun, and says how much of it has no price", () => {
  const queued = { status: "queued", loops: 0, latencyMs: 0, cost: null } as const;
  const free = cell({ cost: null });
  expect(totalOf([cell(queued), cell({ model: "a/two" })], "a/one")).toBeNull();
  expect(totalOf([cell(), cell({ cost: 0.01 }), cell(queued)], "a/one")).toEqual({
    ...{ latencyMs: 2_000, cost: 0.03, unpriced: 0 },
  });
  expect(totalOf([cell(), free], "a/one")).toEqual({ latencyMs: 2_000, cost: 0.02, unpriced: 1 });
  expect(totalOf([free], "a/one")).toEqual({ latencyMs: 1_000, cost: null, unpriced: 1 });
});

test("the first difference is in the calls, else in the words", () => {
  const call = (path: string) => ({
    name: "f__r",
    args: { path },
    status: "ok" as const,
    sent: true,
    durationMs: 1,
  });
  const turn = (text: string, ...paths: string[]) => ({ text, calls: paths.map(call), usage });
  const compared = (...rows: RunComparison["rows"][number]["cells"][]) =>
    ({
      runs: [{ turns: rows.length }, { turns: rows.length }],
      rows: rows.map((cells, at) => ({ turn: at + 1, cells })),
      omitted: 0,
    }) as unknown as RunComparison;
  expect(firstDifference(compared([turn("a", "x"), turn("b", "x")], [turn("c"), turn("c", "y")]))).toBe(1);
  expect(firstDifference(compared([turn("a", "x"), turn("a", "x")], [turn("c"), turn("d")]))).toBe(1);
  expect(firstDifference(compared([turn("a", "x"), turn("a", "x")]))).toBeNull();
  expect(firstDifference(compared([turn("a", "x"), null]))).toBe(0);
});

test("recordings beside one are ended answers to other questions, no cells, those of its conversation first", () => {
  const run = (id: string, more: Partial<ListedRun> = {}) =>
    ({
      id,
      messageId: id,
      conversationId: "far",
      status: "completed",
      continuedBy: null,
      ...more,
    }) as ListedRun;
  const items = [
    run("far"),
    run("again", { messageId: "far" }),
    run("cell", { matrix: "m" }),
    run("waits", { status: "waiting" }),
    run("went-on", { continuedBy: "z" }),
    run("near", { conversationId: "here" }),
    run("version", { messageId: "own" }),
  ];
  const own = { id: "own", messageId: "own", conversationId: "here" };
  expect(recordingsBeside(own, items).map(({ id }) => id)).toEqual(["near", "far"]);
});

test("for a spreadsheet it has a row a cell under a head, and no price for one that is unknown", () => {
  const [head, row, more] = rowsOf(matrix([cell({ cost: null })]));
  expect(head).toHaveLength(11);
  expect(row).toEqual(["Why?", "a/one", "recorded", "2", "1", "0", "1000", "90", "10", "", "x"]);
  expect(more).toBeUndefined();
});
