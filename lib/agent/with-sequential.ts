import type { ToolBox } from "./ports";

/**
 * One call at a time, in call order; the next is sent when the result before it is stored. A call that comes to wait
 * for a person lets the next one go.
 */
export function withSequential(tools: ToolBox): ToolBox {
  let last: Promise<void> = Promise.resolve();
  return {
    list: () => tools.list(),
    call(call, context) {
      const turn = last.then(() => {
        context.signal.throwIfAborted();
        return tools.call(call, context);
      });
      last = turn.then(afterItsReport, afterItsReport);
      return turn;
    },
  };
}

/** A result reaches the run through promises of other wrappers; in the next task it is there. */
const afterItsReport = () => new Promise<void>((resolve) => setTimeout(resolve));
