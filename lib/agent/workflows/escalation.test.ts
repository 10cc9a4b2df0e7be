import { expect, test } from "vitest";
import type { Provider, ToolBox, Turn } from "@/lib/agent/ports";
import { asks, call, collect, ok, stop, text } from "@/lib/agent/testing/scripted";
import { executeAgentStream } from "./execute-agent-stream";
import { llmAgent } from "./llm-agent";
import { loopAgent } from "./loop-agent";
import { sequentialAgent } from "./sequential-agent";
import type { Agent } from "./types";

/** Its result leaves a loop, as its server may do that. */
const leaving: ToolBox = {
  list: () => [{ name: "desk__enough", description: "", inputSchema: { type: "object" } }],
  call: async ({ id, name }) => (name === "desk__enough" ? { ...ok(id), escalates: true } : ok(id)),
};

function play(
  answer: (turn: Turn, index: number) => Parameters<typeof steps>[0],
): Provider & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async *stream(turn) {
      asked.push(turn.system);
      yield* steps(answer(turn, asked.length));
    },
  };
}
const steps = (chunks: ReturnType<typeof text>[]) => chunks;
const says = (words: string) => [text(words), stop("end_turn")];
const callsEnough = (turn: number) => [
  call(`${turn}a`, "desk__enough"),
  call(`${turn}b`, "desk__note"),
  stop("tool_use"),
];

const go = (agent: Agent, provider: Provider, past: Parameters<typeof executeAgentStream>[1]["past"] = []) =>
  collect(
    executeAgentStream(agent, {
      ...{ provider, tools: leaving, history: asks, past },
      signal: new AbortController().signal,
    }),
  );
const ends = (log: Awaited<ReturnType<typeof go>>["log"]) =>
  log.flatMap((chunk) =>
    chunk.type === "agent" && chunk.event !== "start" ? `${chunk.agent} ${chunk.event}` : [],
  );

test("a tool leaves the innermost loop when its whole round has ended; the outer one goes on to its next round", async () => {
  const inner = loopAgent("inner", [llmAgent({ name: "worker", instruction: "WORK", inLoop: true })], 5);
  const outer = loopAgent(
    "outer",
    [inner, llmAgent({ name: "after", instruction: "AFTER", inLoop: true })],
    2,
  );
  const provider = play((turn, at) => (turn.system === "WORK" ? callsEnough(at) : says("done")));
  const { log, result } = await go(outer, provider);
  expect(ends(log)).toEqual([
    "outer.1/inner.1/worker escalate",
    "outer.1/inner escalate",
    "outer.1/after end",
    "outer.2/inner.1/worker escalate",
    "outer.2/inner escalate",
    "outer.2/after end",
    "outer end",
  ]);
  expect(log.filter(({ type }) => type === "tool_result")).toHaveLength(4);
  expect(provider.asked).toEqual(["WORK", "AFTER", "WORK", "AFTER"]);
  expect(result.stopReason).toBe("end_turn");
});

test("what was left before a crash stays left after it", async () => {
  const loop = () => loopAgent("round", [llmAgent({ name: "worker", instruction: "WORK", inLoop: true })], 5);
  const whole = await go(
    loop(),
    play((_, at) => callsEnough(at)),
  );
  const all = whole.log.flatMap((chunk) => (chunk.type === "result" ? [] : chunk));
  // Cut right after the results: their step has not ended in the log.
  const cut = all.findLastIndex(({ type }) => type === "tool_result") + 1;
  const provider = play(() => says("asked again"));
  const rest = await go(loop(), provider, all.slice(0, cut));
  expect(provider.asked).toEqual([]);
  expect(ends(rest.log)).toEqual(["round.1/worker escalate", "round escalate"]);
});

test("outside of a loop such a result is one like any other", async () => {
  const agent = sequentialAgent("s", [llmAgent({ name: "worker", instruction: "WORK" })]);
  const provider = play((_, index) => (index === 1 ? callsEnough(index) : says("went on")));
  const { result } = await go(agent, provider);
  expect(result).toMatchObject({ stopReason: "end_turn", finalText: "went on" });
});

test("an agent asks a model of its own, in its own way", async () => {
  const seen: Turn[] = [];
  const own: Provider = {
    async *stream(turn) {
      seen.push(turn);
      yield* says("from the other");
    },
  };
  const shared = play(() => says("from that of the run"));
  const agents = [
    llmAgent({ name: "one", instruction: "ONE" }),
    llmAgent({ name: "two", instruction: "TWO", provider: () => own }),
  ];
  const { result } = await go(sequentialAgent("s", agents), shared);
  expect(shared.asked).toEqual(["ONE"]);
  expect(seen.map(({ system }) => system)).toEqual(["TWO"]);
  expect(result.finalText).toBe("from the other");
});
