import { expect, test } from "vitest";
import { call, ok, stop, text } from "@/lib/agent/testing/scripted";
import type { StepChunk } from "./chunk";
import { foldAgents, forkLog, type LogPlace } from "./fork-log";
import type { ToolCallId } from "./ids";

const agent = "flow/find";
const id = (name: string) => name as ToolCallId;
const of = (...chunks: StepChunk[]): StepChunk[] => chunks.map((chunk) => ({ ...chunk, agent }));
const turn = (index: number): StepChunk => ({ type: "iteration", index, limit: 10 });
const result = (name: string): StepChunk => ({
  type: "tool_result",
  result: ok(id(name), name),
  durationMs: 1,
});
const summary: StepChunk = { type: "message", message: { role: "summary", text: "They looked.", keep: 0 } };
const asks = [turn(1), call("a", "look"), call("b", "look"), stop("tool_use"), result("a")];

/** What the agent has said where words were put in place of what its log ends with. */
function withWords(kind: LogPlace["kind"], log: readonly StepChunk[]): string[] {
  const { chunks } = forkLog(
    log,
    { kind, agent, end: log.length, isBeside: () => false },
    {
      ...{ edit: { text: "I know." }, newId: () => id("new") },
      outcome: { results: new Map(), sent: new Set() },
    },
  );
  return (foldAgents(chunks).get(agent)?.delta ?? []).map((message) =>
    message.role === "tool" ? message.results.map((each) => each.id).join(" ") : message.role,
  );
}

test("words take the place of the round, with a turn that said nothing behind it", () => {
  expect(withWords("round", of(...asks, result("b")))).toEqual(["assistant"]);
  expect(withWords("round", of(...asks, turn(2), stop("max_tokens"), result("b")))).toEqual(["assistant"]);
});

test("of a turn they take the place of it alone, whether it said something or not", () => {
  const round = [...asks, result("b")];
  for (const said of [[text("Well.")], []])
    expect(withWords("turn", of(...round, turn(2), ...said, stop("end_turn")))).toEqual([
      ...["assistant", "a b"],
      "assistant",
    ]);
});

test("they follow a round that a summary tells of already", () => {
  const log = of(...asks, turn(2), summary, stop("max_tokens"), result("b"));
  expect(withWords("round", log)).toEqual(["assistant", "a", "summary", "b", "assistant"]);
});
