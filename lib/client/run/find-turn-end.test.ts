import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { findTurnEnd } from "./find-turn-end";
import { openRunView, reduceRun } from "./reduce-run";

const usage = { inputTokens: 1, outputTokens: 1 };
const call = (id: string): Chunk => ({
  type: "tool_call",
  call: { type: "tool_call", id: id as ToolCallId, name: "s__t", args: {} },
});
const log: Chunk[] = [
  { type: "iteration", index: 1 },
  { type: "text", content: "Let me " },
  { type: "text", content: "look." },
  call("a"),
  call("b"),
  { type: "usage", stopReason: "tool_use", ...usage },
  { type: "tool_result", result: { id: "a" as ToolCallId, status: "ok", content: [] }, durationMs: 1 },
  { type: "tool_result", result: { id: "b" as ToolCallId, status: "ok", content: [] }, durationMs: 1 },
  { type: "iteration", index: 2 },
  { type: "usage", ...usage },
  { type: "text", content: "Done." },
  { type: "usage", stopReason: "end_turn", ...usage },
];
const { loops } = log.reduce(reduceRun, openRunView("r1"));
const at = (number: number) => loops[number - 1] ?? expect.fail();

test("a turn is found by its calls, or by its words", () => {
  expect(findTurnEnd(log, at(1))).toBe(6);
  expect(findTurnEnd(log, at(2))).toBe(12);
});

test("of turns that say the same the one with these calls is found", () => {
  const turn = (index: number): Chunk[] => [
    { type: "iteration", index },
    { type: "text", content: "Again." },
    call(`c${index}`),
    { type: "usage", stopReason: "tool_use", ...usage },
  ];
  const twice = [...turn(1), ...turn(2)];
  const view = twice.reduce(reduceRun, openRunView("r1"));
  expect(view.loops.map((loop) => findTurnEnd(twice, loop))).toEqual([4, 8]);
});

test("a turn that the log does not have, or that was cut off, is not found", () => {
  expect(findTurnEnd(log, { ...at(2), items: [{ kind: "text", text: "Edited." }] })).toBeNull();
  expect(findTurnEnd(log.slice(0, 5), at(1))).toBeNull();
});

test("of agents that say the same side by side each has its own turn", () => {
  const of = (agent: string, chunk: Chunk): Chunk => ({ ...chunk, agent });
  const both = (chunk: Chunk) => [of("flow/left", chunk), of("flow/right", chunk)];
  const beside: Chunk[] = [
    { type: "iteration", index: 1 } as const,
    { type: "text", content: "Yes." } as const,
    { type: "usage", stopReason: "end_turn", ...usage } as const,
  ].flatMap(both);
  const view = beside.reduce(reduceRun, openRunView("r1"));
  expect(view.loops.map((loop) => findTurnEnd(beside, loop))).toEqual([5, 6]);
});

test("loops and calls say in which run they were", () => {
  const next = reduceRun(openRunView("r2", { ...openRunView("r1"), loops }), { type: "iteration", index: 3 });
  expect(next.loops.map(({ runId }) => runId)).toEqual(["r1", "r1", "r2"]);
  expect(at(1).items.flatMap((item) => (item.kind === "tool" ? (item.runId ?? "") : []))).toEqual([
    "r1",
    "r1",
  ]);
});
