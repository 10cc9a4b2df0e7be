import { BudgetUsage } from "@/lib/agent/budget-usage";
import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { withBudget } from "@/lib/agent/with-budget";
import { countUsage } from "./count-usage";
import { calls, question, scripted } from "./support";
import { deleter } from "./tools";

const budgetUsage = new BudgetUsage([]);
const provider = withBudget(
  scripted(calls("notes__delete", { name: "a" }), calls("notes__delete", { name: "b" })),
  {
    budget: { tokens: 15 },
    budgetUsage,
  },
);

// Whoever stores the chunks of a run folds them in: here a hook does.
const { stopReason } = await executeWithTools({
  provider: countUsage(provider, budgetUsage),
  tools: deleter,
  system: "",
  history: question("Delete all notes"),
  signal: AbortSignal.timeout(60_000),
});

export const output = stopReason; // "budget"
