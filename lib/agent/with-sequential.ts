import type { ToolBox } from "./ports";

/** One call at a time, in call order. A call that comes to wait for a person lets the next one go. */
export function withSequential(tools: ToolBox): ToolBox {
  let last: Promise<unknown> = Promise.resolve();
  return {
    list: () => tools.list(),
    call(call, context) {
      const turn = last.then(() => {
        context.signal.throwIfAborted();
        return tools.call(call, context);
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}
