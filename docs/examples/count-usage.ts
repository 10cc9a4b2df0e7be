import type { BudgetUsage } from "@/lib/agent/budget-usage";
import { mapTurn } from "@/lib/agent/map-turn";
import type { Provider } from "@/lib/agent/ports";

/** Counts what a model streams; the application counts the chunks of its log. */
export const countUsage = (provider: Provider, budgetUsage: BudgetUsage): Provider =>
  mapTurn(provider, (chunk) => {
    budgetUsage.add(chunk);
    return chunk;
  });
