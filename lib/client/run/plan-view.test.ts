import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { PlanUse } from "@/lib/protocol/plan";
import { plansOf } from "./plan-view";
import { openRunView, reduceRun } from "./reduce-run";

const id = (name: string) => name as ToolCallId;
const call = (name: string, tool: string, args = {}): Chunk => ({
  type: "tool_call",
  call: { type: "tool_call", id: id(name), name: tool, args },
});
const start = (name: string, plan?: PlanUse): Chunk => ({
  type: "tool_start",
  id: id(name),
  args: {},
  ...(plan && { plan }),
});
const ok = (name: string, structured?: unknown): Chunk => ({
  type: "tool_result",
  result: { id: id(name), status: "ok", content: [], ...(structured !== undefined && { structured }) },
  durationMs: 1,
});
const step = { tool: "fs__write", max: 2, fixed: { a: 1 }, used: 0 };
const viewOf = (...chunks: Chunk[]) =>
  [{ type: "iteration", index: 1 } as Chunk, ...chunks].reduce(reduceRun, openRunView("run"));
const approved = [call("p", "meguri__propose_plan"), ok("p", { plan: { steps: [step] } })];

test("each sent call counts in the plan that its start names, and what was put in has a step of its own", () => {
  const view = viewOf(
    ...approved,
    ...[call("a", "fs__write"), start("a", { id: "p", step: 0 })],
    ...[call("b", "fs__move", { to: "x" }), start("b", { id: "p", step: 1, added: true })],
    ...[call("c", "fs__write"), start("c", { id: "other", step: 0 }), call("d", "fs__write"), start("d")],
  );
  expect(plansOf(view).get(id("p"))).toEqual({
    steps: [
      { ...step, used: 1 },
      { tool: "fs__move", max: 1, fixed: {}, used: 1 },
    ],
    state: "holds",
  });
});

test("one that was taken back, replaced, or whose answer has ended lets nothing go", () => {
  const next = [call("q", "meguri__propose_plan"), ok("q", { plan: { steps: [step] } })];
  const states = (...chunks: Chunk[]) => [...plansOf(viewOf(...chunks)).values()].map(({ state }) => state);
  expect(states(...approved, ...next)).toEqual(["over", "holds"]);
  const back: Chunk = { type: "answer", requestId: "x", answer: { takesBack: "p" } };
  expect(states(...approved, back)).toEqual(["takenBack"]);
  expect([...plansOf({ ...viewOf(...approved), status: "completed" }).values()]).toMatchObject([
    { state: "over" },
  ]);
});

test("what a file says instead of steps is no plan", () => {
  const odd = [{ plan: { steps: [null] } }, { plan: { steps: "x" } }, { plan: null }, "x"];
  for (const structured of odd)
    expect(plansOf(viewOf(call("p", "meguri__propose_plan"), ok("p", structured))).size).toBe(0);
});
