import type { Agent } from "./types";

/** One agent after the other; ends at once where one of them stops the run or leaves the loop around it. */
export function sequentialAgent(name: string, agents: readonly Agent[]): Agent {
  return {
    name,
    async *run(context, path) {
      for (const agent of agents) {
        const end = yield* agent.run(context, `${path}/${agent.name}`);
        if (end.stop || end.escalate) return end;
      }
      return {};
    },
  };
}
