import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { Spent } from "@/lib/agent/spent";
import { withBudget } from "@/lib/agent/with-budget";
import { countSpent } from "./count-spent";
import { calls, question, scripted } from "./support";
import { deleter } from "./tools";

const spent = new Spent([]);
const provider = withBudget(
  scripted(calls("notes__delete", { name: "a" }), calls("notes__delete", { name: "b" })),
  {
    budget: { tokens: 15 },
    spent,
  },
);

// Whoever stores the chunks of a run folds them in: here a hook does.
const { stopReason } = await executeWithTools({
  provider: countSpent(provider, spent),
  tools: deleter,
  system: "",
  history: question("Delete all notes"),
  signal: AbortSignal.timeout(60_000),
});

export const output = stopReason; // "budget"
