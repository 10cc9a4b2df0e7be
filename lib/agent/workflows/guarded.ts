import { type Agent, AgentError, agentInWords } from "./types";

/** An agent that throws ends its run with a sentence that names it and its round, and with nothing else. */
export function guarded(agent: Agent): Agent {
  return {
    name: agent.name,
    async *run(context, path) {
      let at = path;
      const source = agent.run(context, path);
      try {
        let next = await source.next();
        for (; !next.done; next = await source.next()) {
          at = next.value.agent ?? path;
          yield next.value;
        }
        return next.value;
      } catch (cause) {
        if (context.signal.aborted) throw context.signal.reason;
        context.onFault?.(cause);
        return { stop: "error", error: { code: "agent_failed", message: faultInWords(cause, at) } };
      } finally {
        // It may hang in what it waits for.
        void source.return({}).then(undefined, () => {});
      }
    },
  };
}

function faultInWords(cause: unknown, at: string): string {
  const why = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof AgentError) return why;
  if (!why) return `The agent ${agentInWords(at)} failed: no reason was given.`;
  return `The agent ${agentInWords(at)} failed: ${why}`;
}
