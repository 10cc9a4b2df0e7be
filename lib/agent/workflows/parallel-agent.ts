import { Mailbox } from "@/lib/agent/mailbox";
import { LoopStop } from "@/lib/agent/ports";
import type { StepChunk } from "@/lib/protocol/chunk";
import { guarded } from "./guarded";
import type { Agent, AgentEnd, WorkflowContext } from "./types";

const waits = new Set<AgentEnd["stop"]>(["awaiting_approval", "awaiting_input", "awaiting_step", "budget"]);

/** Agents side by side, each from the same history and state; what they add is joined in the order of the agents. */
export function parallelAgent(name: string, agents: readonly Agent[]): Agent {
  return {
    name,
    async *run(context, path) {
      // Not the run's signal: after a Stop the branches still say how their open calls ended.
      const mailbox = new Mailbox<StepChunk | { ended: number }>(new AbortController().signal);
      const branches = agents.map(
        (): WorkflowContext => ({
          ...context,
          history: [...context.history],
          state: { ...context.state },
          delta: [],
        }),
      );
      const ends: AgentEnd[] = [];
      const run = async (agent: Agent, index: number) => {
        const branch = guarded(agent).run(branches[index] as WorkflowContext, `${path}/${agent.name}`);
        try {
          let next = await branch.next();
          for (; !next.done; next = await branch.next()) await mailbox.store(next.value);
          ends[index] = next.value;
        } catch {
          ends[index] = { stop: stopOf(context.signal) };
          void branch.return({}).then(undefined, () => {}); // the reader has gone, or it is stopped
        }
        mailbox.put({ ended: index });
      };
      const all = agents.map(run);
      let running = agents.length;
      try {
        while (running > 0) {
          const item = await mailbox.next();
          if ("ended" in item) running--;
          else yield item;
        }
      } finally {
        mailbox.close();
        await Promise.all(all);
      }
      join(context, branches);
      return worst(ends);
    },
  };
}

function stopOf({ reason }: AbortSignal): NonNullable<AgentEnd["stop"]> {
  return reason instanceof LoopStop ? reason.reason : "aborted";
}

function join(context: WorkflowContext, branches: readonly WorkflowContext[]): void {
  const { length } = context.history;
  const before = { ...context.state };
  for (const branch of branches) {
    for (const [key, value] of Object.entries(branch.state))
      if (value !== before[key]) context.state[key] = value;
    context.history.push(...branch.history.slice(length));
    context.delta.push(...branch.delta);
  }
}

/** A fault before a question, a question before the rest; one that leaves the loop leaves it for all. */
function worst(ends: readonly AgentEnd[]): AgentEnd {
  const escalate = ends.find((end) => end.escalate)?.escalate;
  return (
    ends.find(({ stop }) => stop && !waits.has(stop)) ??
    ends.find(({ stop }) => stop) ?? { ...(escalate !== undefined && { escalate }) }
  );
}
