import { notRun } from "@/lib/protocol/history";
import type { ToolBox } from "./ports";
import type { Spent } from "./spent";
import { verdictInWords } from "./with-budget";

/**
 * Asks a person before the third turn in a row that makes the same calls, with the same arguments; of tools that do not
 * exist, with any arguments. Outermost, so that it sees calls too that another wrapper refuses: each of them costs a turn
 * of the model. Equal calls of one turn are no repetition.
 */
export function withRepeatCheck(tools: ToolBox, spent: Spent): ToolBox {
  let asking: Promise<void> | undefined;
  const isOffered = (wanted: string) => tools.list().some(({ name }) => name === wanted);
  return {
    list: () => tools.list(),
    async call(call, context) {
      const repetition = spent.repetition(call.id);
      if (!repetition || (repetition === "names" && isOffered(call.name))) return tools.call(call, context);
      if (spent.verdict) return notRun(call.id, verdictInWords[spent.verdict]);
      asking ??= context.emit(spent.question("repeat", {}));
      await asking;
      return { waiting: "budget" };
    },
  };
}
