import { setTimeout as wait } from "node:timers/promises";
import { step } from "@/lib/agent/workflows/step";
import type { Agent } from "@/lib/agent/workflows/types";

const pauseMs = 300;

/** Says "Counter: 1", "Counter: 2", "Counter: 3" and then leaves the loop around it. No model, no key. */
const counter: Agent = {
  name: "counter",
  async *run(context, path) {
    const count = Number(context.state.count ?? 0) + 1;
    return yield* step(context, path, async function* () {
      yield { type: "iteration", index: 1, agent: path };
      await wait(pauseMs, undefined, { signal: context.signal });
      yield { type: "text", content: `Counter: ${count}`, agent: path };
      yield { type: "usage", stopReason: "end_turn", inputTokens: 0, outputTokens: 0, agent: path };
      return { output: `Counter: ${count}`, state: { count: String(count) }, escalate: count === 3 };
    });
  },
};

/** Says the value of a key of the state: the outcome of a workflow, as its last words. */
export const resultAgent = (key: string): Agent => ({
  name: "result",
  async *run(context, path) {
    return yield* step(context, path, async function* () {
      const text = context.state[key] ?? "";
      yield { type: "iteration", index: 1, agent: path };
      if (text) yield { type: "text", content: text, agent: path };
      yield { type: "usage", stopReason: "end_turn", inputTokens: 0, outputTokens: 0, agent: path };
      return { output: text, state: {} };
    });
  },
});

/** Agents in TypeScript, to be named in files as `type: custom`. A new one is added here. */
export const customAgents: ReadonlyMap<string, Agent> = new Map(
  [counter].map((agent) => [agent.name, agent]),
);
