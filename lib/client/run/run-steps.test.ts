import { describe, expect, test } from "vitest";
import { call, ended, ok, stop, text } from "@/lib/agent/testing/scripted";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { timeline } from "@/lib/protocol/timeline";
import { loadOf, mostAtOnce } from "./calls-at-once";
import type { Step } from "./run-step";
import { RunSteps } from "./run-steps";
import { placeOn, tickName, ticksOf, timeAxis } from "./time-axis";

const start = Date.UTC(2026, 0, 1);
const at = (ms: number, chunk: Chunk): Chunk => ({ ...chunk, at: start + ms });
const iteration = (index: number, agent?: string): Chunk => ({
  type: "iteration",
  index,
  limit: 10,
  ...(agent && { agent }),
});
const sent = (id: string): Chunk => ({ type: "tool_start", id: id as ToolCallId, args: {} });
const result = (id: string, durationMs = 1): Chunk => ({
  type: "tool_result",
  result: ok(id as ToolCallId),
  durationMs,
});
const asked = (id: string): Chunk => ({
  type: "approval_request",
  requestId: id,
  call: { type: "tool_call", id: id as ToolCallId, name: "pay__refund", args: { amount: 2 } },
  reason: "rule",
});

/** Two reads at once; then a payment that is asked about, and waits for a person between two runs. */
const first: Chunk[] = [
  at(0, iteration(1)),
  at(400, text("Let me look.")),
  at(900, call("a", "db__query")),
  at(1_000, call("b", "db__rates")),
  at(1_000, stop("tool_use")),
  at(1_000, sent("a")),
  at(1_000, sent("b")),
  at(1_500, result("b", 500)),
  at(2_000, result("a", 1_000)),
  at(2_000, iteration(2)),
  at(2_500, call("c", "pay__refund")),
  at(3_000, stop("tool_use")),
  at(3_000, asked("c")),
  at(3_000, ended("awaiting_approval")),
];
const second: Chunk[] = [
  at(43_000, { type: "answer", requestId: "c", id: "c" as ToolCallId, answer: { decision: "approve" } }),
  at(43_000, sent("c")),
  at(44_000, result("c", 1_000)),
  at(44_000, iteration(3)),
  at(44_200, { type: "notice", kind: "retry", message: "HTTP 503" }),
  at(44_500, text("Done.")),
  at(45_000, stop("end_turn")),
  at(45_000, ended("end_turn")),
];

function read(...runs: Chunk[][]): RunSteps {
  const steps = new RunSteps();
  for (const [number, chunks] of runs.entries()) {
    steps.begin(`run ${number}`);
    for (const chunk of chunks) steps.add(chunk);
  }
  return steps;
}

const spanOf = ({ key, from, to }: Step) => [key, from && from - start, to && to - start];
const spans = (steps: RunSteps) => steps.loops().map((loop) => loop.steps.map(spanOf));

test("a question before the first turn makes no loop, and is shown in the first one", () => {
  const steps = read([at(0, asked("c")), at(0, ended("awaiting_approval"))]);
  expect(steps.loops()).toEqual([]);
  steps.begin("run 1");
  for (const chunk of [at(9_000, iteration(1)), at(9_500, text("Done.")), at(9_900, stop("end_turn"))])
    steps.add(chunk);
  expect(spans(steps)).toEqual([
    [
      ["model 1", 9_000, 9_900],
      ["wait c", 0, null],
    ],
  ]);
});

test("a turn knows its place in its own run, by which the server tells what the model was sent", () => {
  const turns = read(first, second)
    .loops()
    .flatMap(({ steps }) => steps.flatMap((step) => (step.kind === "model" ? step.place : [])));
  expect(turns.map(({ index }) => index)).toEqual([1, 2, 1]);
  expect(turns[0]?.runId).toBe(turns[1]?.runId);
  expect(turns[2]?.runId).not.toBe(turns[1]?.runId);
});

describe("the steps of a run", () => {
  test("are its model calls, questions and calls, over all runs that are one answer", () => {
    const steps = read(first, second);
    expect(spans(steps)).toEqual([
      [
        ["model 1", 0, 1_000],
        ["call a", 1_000, 2_000],
        ["call b", 1_000, 1_500],
      ],
      [
        ["model 2", 2_000, 3_000],
        ["wait c", 3_000, 43_000],
        ["call c", 43_000, 44_000],
      ],
      [["model 3", 44_000, 45_000]],
    ]);
    const [, , third] = steps.loops();
    expect(third).toMatchObject({ limit: 10, steps: [{ retries: [{ message: "HTTP 503" }] }] });
    expect(third?.steps[0]).toMatchObject({ firstTokenAt: start + 44_500, items: [{}, { text: "Done." }] });
  });

  test("are at every moment those of the log so far, and have the times of the API", () => {
    const log = [...first, ...second];
    const live = new RunSteps();
    live.begin("run 0");
    for (const [number, chunk] of log.entries()) {
      live.add(chunk);
      expect(live.loops()).toEqual(read(log.slice(0, number + 1)).loops());
    }
    const models = live.loops().map(({ steps: [model] }) => model);
    expect(
      models.map((model) => model && model.to !== null && model.from !== null && model.to - model.from),
    ).toEqual(timeline(log).map(({ latencyMs }) => latencyMs));
  });

  test("go on while they are not over, and end with their run", () => {
    expect(spans(read(first)).at(-1)).toEqual([
      ["model 2", 2_000, 3_000],
      ["wait c", 3_000, null],
      ["call c", null, null],
    ]);
    const cut = [at(0, iteration(1)), at(100, text("Hm")), at(200, ended("aborted"))];
    expect(spans(read(cut.slice(0, 2)))).toEqual([[["model 1", 0, null]]]);
    expect(spans(read(cut))).toEqual([[["model 1", 0, 200]]]);
    // Recovery writes the end of an interrupted run, hours later.
    const late = at(9_000_000, ended("interrupted"));
    expect(spans(read([...cut.slice(0, 2), late]))).toEqual([[["model 1", 0, 100]]]);
  });

  test("a question is over with its call, also where nobody has answered it", () => {
    const steps = read([
      at(0, iteration(1)),
      at(5, call("c", "pay__refund")),
      at(10, stop("tool_use")),
      at(10, asked("c")),
      at(60, result("c")),
      at(60, iteration(2)),
    ]);
    expect(spans(steps)[0]).toContainEqual(["wait c", 10, 60]);
  });

  test("in step mode a turn that has waited and comes again has its calls once, beside other agents too", () => {
    const of = (agent: string, chunk: Chunk): Chunk => ({ ...chunk, agent });
    const steps = read([
      at(0, of("a", iteration(1))),
      at(0, of("b", iteration(1))),
      at(5, of("b", call("x", "db__query"))),
      at(10, of("a", iteration(1))),
      at(15, of("a", call("y", "db__rates"))),
    ]);
    const calls = steps
      .loops()
      .map((loop) => loop.steps.flatMap(({ kind, key }) => (kind === "call" ? key : [])));
    expect(calls).toEqual([[], ["call x"], ["call y"]]);
  });

  test("of a long run are made anew one by one: a look costs what has changed since the one before", () => {
    const remade = (turns: number) => {
      const steps = new RunSteps();
      steps.begin("run");
      let count = 0;
      for (let turn = 0; turn < turns; turn++)
        for (const chunk of [
          at(turn * 10, iteration(turn + 1)),
          at(turn * 10 + 1, text("So.")),
          at(turn * 10 + 2, call(`c${turn}`, "db__query")),
          at(turn * 10 + 3, stop("tool_use")),
          at(turn * 10 + 3, sent(`c${turn}`)),
          at(turn * 10 + 9, result(`c${turn}`, 6)),
        ]) {
          const before = new Set(steps.loops());
          steps.add(chunk);
          count += steps.loops().filter((loop) => !before.has(loop)).length;
        }
      return count;
    };
    const [some, more] = [remade(20), remade(80)];
    expect(some).toBeLessThanOrEqual(20 * 7);
    expect(more).toBeLessThanOrEqual(4 * some + 4);
  });
});

describe("the line of time", () => {
  test("folds what a person was waited for, and counts it apart", () => {
    const steps = read(first, second);
    const loops = steps.loops();
    const axis = timeAxis(loops, start + 99_000, false);
    expect([axis.workedMs, axis.waitedMs]).toEqual([5_000, 40_000]);
    expect(axis.folds).toMatchObject([{ from: start + 3_000, to: start + 43_000, waitedMs: 40_000 }]);
    const places = [0, 1_000, 3_000, 23_000, 43_000, 45_000].map((ms) => placeOn(axis, start + ms));
    expect(places.map((place) => Number(place.toFixed(3)))).toEqual([0, 0.16, 0.48, 0.58, 0.68, 1]);
    expect(
      ticksOf(axis)
        .filter(({ isEdge }) => !isEdge)
        .map(({ ms }) => ms / 1000),
    ).toEqual([1, 2, 3, 43, 44, 45]);
    // Of tools alone: two reads, and later a payment.
    const load = loadOf(axis, loops, 0);
    expect(load.map(({ count }) => count)).toEqual([1, 2, 1, 0, 1, 0]);
    expect(mostAtOnce(load)).toBe(2);
  });

  test("counts the time for which a person was waited for as its row does, whatever else ran in it", () => {
    const both = [call("a", "pay__refund"), call("b", "db__query"), stop("tool_use")];
    const steps = read([
      at(0, iteration(1)),
      ...both.map((chunk) => at(900, chunk)),
      at(1_000, sent("b")),
      at(1_050, asked("a")),
      at(1_200, result("b", 200)),
      at(5_000, ended("awaiting_approval")),
    ]);
    const now = start + 9_000;
    const wait = steps.loops()[0]?.steps.find(({ kind }) => kind === "wait");
    const axis = timeAxis(steps.loops(), now, false);
    expect(axis.waitedMs).toBe(now - (wait?.from ?? 0));
    expect(axis.folds).toMatchObject([{ from: start + 1_200, waitedMs: 7_800 }]);
  });

  test("no two round times have the same name", () => {
    const short = timeAxis(
      read([
        at(0, iteration(1)),
        at(110, { type: "usage", inputTokens: 1, outputTokens: 1, stopReason: "end_turn" }),
        at(5_150, iteration(2)),
        at(5_410, { type: "usage", inputTokens: 1, outputTokens: 1, stopReason: "end_turn" }),
      ]).loops(),
      start + 5_410,
      false,
    );
    const names = ticksOf(short)
      .filter(({ isEdge }) => !isEdge)
      .map(tickName);
    expect(names).toEqual(["50 ms", "100 ms", "5.15 s", "5.20 s", "5.25 s", "5.30 s", "5.35 s", "5.40 s"]);
    expect(new Set(names).size).toBe(names.length);
  });

  test("of a run that goes on ends at a round time, and of one that waits with the wait", () => {
    const live = timeAxis(read(first.slice(0, 2)).loops(), start + 700, true);
    expect([live.workedMs, live.to - start]).toEqual([700, 1_000]);
    const waits = timeAxis(read(first).loops(), start + 8_000, false);
    expect([waits.workedMs, waits.waitedMs, waits.to - start]).toEqual([3_000, 5_000, 8_000]);
    expect(timeAxis([], start, true)).toMatchObject({ workedMs: 0, folds: [] });
  });

  test("names a time in which the run had stopped as no wait", () => {
    const stopped = [at(0, iteration(1)), at(1_000, ended("aborted"))];
    const again = [at(11_000, iteration(2)), at(12_000, stop("end_turn")), at(12_000, ended("end_turn"))];
    const axis = timeAxis(read(stopped, again).loops(), start, false);
    expect(axis.folds).toMatchObject([{ from: start + 1_000, to: start + 11_000, waitedMs: null }]);
    expect([axis.workedMs, axis.waitedMs]).toEqual([2_000, 0]);
  });
});
