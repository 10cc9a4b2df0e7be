import { executeAgentStream } from "@/lib/agent/workflows/execute-agent-stream";
import { loopAgent } from "@/lib/agent/workflows/loop-agent";
import { step } from "@/lib/agent/workflows/step";
import type { Agent } from "@/lib/agent/workflows/types";
import { question, scripted } from "./support";

/** A custom agent is an async generator; what it does stands in a step, which runs once in the life of a run. */
const counter: Agent = {
  name: "counter",
  async *run(context, path) {
    const count = Number(context.state.count ?? 0) + 1;
    return yield* step(context, path, async function* () {
      yield { type: "text", content: `Counter: ${count}`, agent: path };
      yield { type: "usage", stopReason: "end_turn", inputTokens: 0, outputTokens: 0, agent: path };
      return { output: "", state: { count: String(count) }, escalate: count === 3 };
    });
  },
};

const output: string[] = [];
for await (const chunk of executeAgentStream(loopAgent("count", [counter], 10), {
  provider: scripted(),
  history: question("Go"),
  signal: AbortSignal.timeout(60_000),
}))
  if (chunk.type === "text") output.push(chunk.content);

export { output }; // ["Counter: 1", "Counter: 2", "Counter: 3"]
