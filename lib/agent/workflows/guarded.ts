import { type Agent, AgentError, agentInWords } from "./types";

/** An agent that throws ends its run with a sentence that names it and its round, and with nothing else. */
export function guarded(agent: Agent): Agent {
  return {
    name: agent.name,
    async *run(scene, path) {
      let at = path;
      const source = agent.run(scene, path);
      try {
        let next = await source.next();
        for (; !next.done; next = await source.next()) {
          at = next.value.agent ?? path;
          yield next.value;
        }
        return next.value;
      } catch (cause) {
        if (scene.signal.aborted) throw scene.signal.reason;
        scene.onFault?.(cause);
        const why = cause instanceof Error ? cause.message : String(cause);
        const message =
          cause instanceof AgentError
            ? why
            : `The agent ${agentInWords(at)} failed: ${why || "no reason was given."}`;
        return { stop: "error", error: { code: "agent_failed", message } };
      } finally {
        // It may hang in what it waits for.
        void source.return({}).then(undefined, () => {});
      }
    },
  };
}
