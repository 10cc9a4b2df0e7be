import type { StepChunk } from "@/lib/protocol/chunk";
import { sequentialAgent } from "./sequential-agent";
import type { Agent, AgentEnd, WorkflowContext } from "./types";

/** The agents one after the other, again and again: until one of them escalates, at most `maxIterations` rounds. */
export function loopAgent(name: string, agents: readonly Agent[], maxIterations: number): Agent {
  const round = sequentialAgent(name, agents);
  return {
    name,
    async *run(context, path): AsyncGenerator<StepChunk, AgentEnd> {
      let rounds = 0;
      let by: string | undefined;
      while (rounds < maxIterations && by === undefined) {
        const end = yield* round.run(context, `${path}.${++rounds}`);
        if (end.stop) return end;
        by = end.escalate;
      }
      if (!hasEnded(context, path))
        yield {
          type: "agent",
          name,
          agent: path,
          event: by === undefined ? "end" : "escalate",
          output: "",
          state: {},
          rounds,
          ...(by !== undefined && { by }),
        };
      return {};
    },
  };
}

const hasEnded = ({ past }: WorkflowContext, path: string): boolean =>
  past.some((chunk) => chunk.type === "agent" && chunk.event !== "start" && chunk.agent === path);
