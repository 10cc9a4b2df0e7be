import { describe, expect, test } from "vitest";
import { call, ended, ok, stop, text } from "@/lib/agent/testing/scripted";
import type { Chunk } from "./chunk";
import type { ToolCallId } from "./ids";
import { openCalls } from "./open-calls";
import { answeredCalls, timeline } from "./timeline";

const start = Date.UTC(2026, 0, 1);
const iso = (ms: number) => new Date(start + ms).toISOString();
const at = (ms: number, chunk: Chunk): Chunk => ({ ...chunk, at: start + ms });
const iteration = (index: number): Chunk => ({ type: "iteration", index });
const sent = (id: string): Chunk => ({ type: "tool_start", id: id as ToolCallId, args: {} });
const result = (id: string, durationMs = 1): Chunk => ({
  type: "tool_result",
  result: ok(id as ToolCallId),
  durationMs,
});
const end = ended("end_turn");

describe("timeline", () => {
  test("has each loop with its times, tokens and calls", () => {
    const log = [
      at(0, iteration(1)),
      at(120, text("Let ")),
      text("me."),
      at(300, call("a", "fs__read")),
      at(310, stop("tool_use")),
      at(320, sent("a")),
      at(345, result("a", 25)),
      at(350, iteration(2)),
      at(400, { type: "reasoning", content: "hm" }),
      at(500, {
        type: "usage",
        inputTokens: 9,
        outputTokens: 3,
        cachedInputTokens: 8,
        stopReason: "end_turn",
      }),
      at(501, end),
    ];
    expect(timeline(log)).toEqual([
      {
        index: 1,
        startedAt: iso(0),
        timeToFirstTokenMs: 120,
        latencyMs: 310,
        usage: { inputTokens: 1, outputTokens: 1 },
        toolCalls: [{ id: "a", name: "fs__read", startedAt: iso(320), durationMs: 25, status: "ok" }],
      },
      {
        index: 2,
        startedAt: iso(350),
        timeToFirstTokenMs: 50,
        latencyMs: 150,
        reasoningMs: 100,
        usage: { inputTokens: 9, outputTokens: 3, cachedInputTokens: 8 },
        toolCalls: [],
      },
    ]);
  });

  test("of a log without stamps has the times that its usage tells", () => {
    const told = { ...stop("end_turn"), totalTokens: 2, latencyMs: 40, timeToFirstTokenMs: 7 };
    const times = (log: Chunk[]) =>
      timeline(log).map(({ latencyMs, timeToFirstTokenMs }) => [timeToFirstTokenMs, latencyMs]);
    expect(times([iteration(1), text("Hi"), told])).toEqual([[7, 40]]);
    expect(times([at(0, iteration(1)), at(9, text("Hi")), at(50, told)])).toEqual([[9, 50]]);
    expect(times([iteration(1), text("Hi"), stop("end_turn")])).toEqual([[null, null]]);
  });

  test("of a live run shows what is not over yet", () => {
    expect(timeline([at(0, iteration(1)), at(5, call("a", "fs__read"))])).toMatchObject([
      {
        timeToFirstTokenMs: 5,
        latencyMs: null,
        toolCalls: [{ status: "open", startedAt: null, durationMs: null }],
      },
    ]);
  });

  test("leaves out the calls of a turn that broke or was cut off", () => {
    const cut = [at(0, iteration(1)), call("a"), stop("max_tokens"), end];
    const broken = [at(0, iteration(1)), call("a"), at(9, iteration(2)), call("b"), end];
    expect([...timeline(cut), ...timeline(broken)].map(({ toolCalls }) => toolCalls)).toEqual([[], [], []]);
  });

  test("keeps agents that run side by side apart", () => {
    const log = [
      at(0, { ...iteration(1), agent: "one" }),
      at(10, { ...iteration(1), agent: "two" }),
      at(30, { ...text("x"), agent: "one" }),
      at(50, { ...text("y"), agent: "two" }),
    ];
    expect(timeline(log).map((loop) => loop.timeToFirstTokenMs)).toEqual([30, 40]);
  });

  test("bears logs without stamps, and answers to calls of an earlier run", () => {
    expect(timeline([sent("a"), result("a"), iteration(2), text("x"), stop("end_turn"), end])).toEqual([
      {
        index: 2,
        startedAt: new Date(0).toISOString(),
        timeToFirstTokenMs: null,
        latencyMs: null,
        usage: { inputTokens: 1, outputTokens: 1 },
        toolCalls: [],
      },
    ]);
  });

  test("over a chain gives a call that waited its time", () => {
    const first = [at(0, iteration(1)), at(1, call("a", "fs__rm")), at(2, stop("tool_use")), at(3, end)];
    const second = [at(90, sent("a")), at(95, result("a", 5)), at(99, end)];
    expect(timeline([...first, ...second])[0]?.toolCalls).toEqual([
      { id: "a", name: "fs__rm", startedAt: iso(90), durationMs: 5, status: "ok" },
    ]);
  });
});

describe("answeredCalls", () => {
  const failed = (id: string, durationMs: number): Chunk => ({
    type: "tool_result",
    result: { id: id as ToolCallId, status: "error", content: [] },
    durationMs,
  });
  const starts = (log: Chunk[], before: Chunk[] = []) =>
    answeredCalls(log, openCalls(before)).map(({ id, startedAt }) => [id, startedAt]);

  test("begin where this log sends them, and those that it asks for itself are left out", () => {
    const log = [at(5, sent("a")), at(30, result("a", 25)), call("b"), at(40, sent("b")), result("b")];
    expect(answeredCalls(log, openCalls([]))).toEqual([
      { id: "a", name: "", startedAt: iso(5), durationMs: 25, status: "ok" },
    ]);
  });

  test("have waited for their result as long as it took, whatever came, where an earlier log has sent them", () => {
    const before = [sent("a"), sent("b")];
    expect(starts([at(90, result("a", 20)), at(95, failed("b", 10))], before)).toEqual([
      ["a", iso(70)],
      ["b", iso(85)],
    ]);
    expect(starts([result("a")], before)).toEqual([["a", null]]);
  });

  test("have no time where no log has sent them: an answer of a person's own, a check that refused them", () => {
    expect(starts([at(90, result("a", 20)), at(95, failed("b", 10))])).toEqual([
      ["a", null],
      ["b", null],
    ]);
  });
});
