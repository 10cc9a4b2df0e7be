import { notRun } from "@/lib/protocol/history";
import type { BudgetUsage } from "./budget-usage";
import type { ToolBox } from "./ports";
import { verdictInWords } from "./with-budget";

/**
 * Asks a person before the third turn in a row that makes the same calls, with the same arguments; of tools that do not
 * exist, with any arguments. Outermost, so that it sees calls too that another wrapper refuses: each of them costs a turn
 * of the model. Equal calls of one turn are no repetition.
 */
export function withRepeatCheck(tools: ToolBox, budgetUsage: BudgetUsage): ToolBox {
  let asking: Promise<void> | undefined;
  const isOffered = (wanted: string) => tools.list().some(({ name }) => name === wanted);
  return {
    list: () => tools.list(),
    async call(call, context) {
      const repetition = budgetUsage.repetition(call.id);
      if (!repetition || (repetition === "names" && isOffered(call.name))) return tools.call(call, context);
      if (budgetUsage.verdict) return notRun(call.id, verdictInWords[budgetUsage.verdict]);
      asking ??= context.emit(budgetUsage.question("repeat", {}));
      await asking;
      return { waiting: "budget" };
    },
  };
}
