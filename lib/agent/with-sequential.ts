import type { ToolCall } from "@/lib/protocol/message";
import type { ToolBox } from "./ports";

/**
 * One call at a time, in call order; the next is sent when the result before it is stored. A call that comes to wait
 * for a person lets the next one go. `queueOf` names the queue of a call (its server, say), default one for all; a call
 * of no queue runs beside everything else.
 */
export function withSequential(
  tools: ToolBox,
  queueOf: (call: ToolCall) => string | undefined = () => "",
): ToolBox {
  const last = new Map<string, Promise<void>>();
  return {
    list: () => tools.list(),
    call(call, context) {
      const queue = queueOf(call);
      if (queue === undefined) return tools.call(call, context);
      const before = last.get(queue) ?? Promise.resolve();
      const turn = before.then(() => {
        context.signal.throwIfAborted();
        return tools.call(call, context);
      });
      last.set(queue, turn.then(afterItsReport, afterItsReport));
      return turn;
    },
  };
}

/** A result reaches the run through promises of other wrappers; in the next task it is there. */
const afterItsReport = () => new Promise<void>((resolve) => setTimeout(resolve));
