import type { ToolBox, ToolSpec } from "@/lib/agent/ports";
import type { ChatMessage } from "@/lib/protocol/message";

/** Name of the built-in tool that leaves a loop. Tools of servers are called `server__tool`, so none can pass for it. */
export const exitLoopTool = "exit_loop";

const spec: ToolSpec = {
  name: exitLoopTool,
  description: "Ends the loop. Call this only when nothing is left to improve.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
};

/** Adds `exit_loop`: no turn of the model follows the round in which it is called. */
export function withExitLoop(tools: ToolBox): ToolBox {
  return {
    list: () => [...tools.list().filter(({ name }) => name !== exitLoopTool), spec],
    call: async (call, context) =>
      call.name === exitLoopTool
        ? { id: call.id, status: "ok", content: [{ type: "text", text: "The loop ends." }], endsTurn: true }
        : tools.call(call, context),
  };
}

/**
 * For an agent in a loop: a tool whose result escalates ends the turn, as `exit_loop` does. Without it, and so outside of
 * loops, such a result is one like any other.
 */
export function withEscalation(tools: ToolBox): ToolBox {
  return {
    list: () => tools.list(),
    call: async (call, context) => {
      const outcome = await tools.call(call, context);
      return "escalates" in outcome ? { ...outcome, endsTurn: true } : outcome;
    },
  };
}

/** Whether these messages left the loop; read from the history, so that it holds after a restart as well. */
export function leftLoop(delta: readonly ChatMessage[]): boolean {
  const asked = new Set<string>();
  for (const message of delta) {
    if (message.role === "assistant")
      for (const part of message.parts)
        if (part.type === "tool_call" && part.name === exitLoopTool) asked.add(part.id);
    if (
      message.role === "tool" &&
      message.results.some(
        ({ id, status, escalates, endsTurn }) =>
          status === "ok" && (asked.has(id) || (escalates && endsTurn)),
      )
    )
      return true;
  }
  return false;
}
