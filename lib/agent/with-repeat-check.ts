import { notRun } from "@/lib/protocol/history";
import type { ToolBox } from "./ports";
import type { Spent } from "./spent";
import { verdictInWords } from "./with-budget";

/**
 * Asks a person before the third turn in a row that makes the same calls, with the same arguments. Outermost, so that
 * it sees calls too that another wrapper refuses: each of them costs a turn of the model. Equal calls of one turn are no
 * repetition.
 */
export function withRepeatCheck(tools: ToolBox, spent: Spent): ToolBox {
  let asking: Promise<void> | undefined;
  return {
    list: () => tools.list(),
    async call(call, context) {
      if (!spent.isRepeat(call.id)) return tools.call(call, context);
      if (spent.verdict) return notRun(call.id, verdictInWords[spent.verdict]);
      asking ??= context.emit(spent.question("repeat", {}));
      await asking;
      return { waiting: "budget" };
    },
  };
}
