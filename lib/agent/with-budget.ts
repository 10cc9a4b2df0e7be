import { notRun } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import type { Budget } from "@/lib/protocol/usage";
import type { BudgetUsage } from "./budget-usage";
import { passThroughAfterFirst, untilFirstChunk } from "./pass-through-after-first";
import { LoopStop, type Provider, type ToolBox } from "./ports";

export interface BudgetOptions {
  /** Of the whole chain of runs; what is not named has no limit. */
  budget: Budget;
  /** The fold of the chain's logs; a chunk of the live run is added when it is stored. */
  budgetUsage: BudgetUsage;
  /** False: nobody knows what the model costs, so that a limit of money could not be kept. */
  isPriced?: boolean;
  /** Ends a call that was sent and is not waited for any more. */
  giveUp?(id: ToolCallId): void;
}

/**
 * Asks a person before a turn of the model for which tokens, money or time have run out: the run ends `budget` and
 * is continued with the answer. So it does before the first turn of a model whose cost cannot be counted. When asked to finish, the model has one last turn in which it calls no tools.
 */
export function withBudget(
  provider: Provider,
  { budget, budgetUsage, isPriced = true }: BudgetOptions,
): Provider {
  let isFinished = false;
  const overNow = () =>
    !isPriced && budgetUsage.needsPrice(budget) ? "price" : budgetUsage.overBeforeTurn(budget);
  return {
    stream: (turn) =>
      passThroughAfterFirst(async function* () {
        if (budgetUsage.verdict === "stop") throw new LoopStop("aborted");
        await budgetUsage.day?.assertLeft();
        if (budgetUsage.verdict === "finish") {
          if (isFinished) throw new LoopStop("end_turn");
          isFinished = true;
          // The tools stay: some providers refuse a history with calls without them.
          return yield* untilFirstChunk(provider.stream({ ...turn, toolChoice: "none" }));
        }
        const limit = overNow();
        if (limit === undefined) return yield* untilFirstChunk(provider.stream(turn));
        yield budgetUsage.question(limit, budget);
        throw new LoopStop("budget");
      }),
  };
}

/**
 * The same for calls, which also count by number. Calls of one turn that no longer fit wait for one answer together;
 * the others run. Asked to finish or to stop, it waits for no call: one that was sent has an unknown outcome.
 */
export function withCallBudget(tools: ToolBox, { budget, budgetUsage, giveUp }: BudgetOptions): ToolBox {
  let asking: Promise<void> | undefined;
  return {
    list: () => tools.list(),
    async call(call, context) {
      if (budgetUsage.verdict && budgetUsage.isStarted(call.id)) {
        giveUp?.(call.id);
        return givenUp(call.id, budgetUsage.verdict);
      }
      if (budgetUsage.verdict) return notRun(call.id, verdictInWords[budgetUsage.verdict]);
      const limit = budgetUsage.admit(call.id, budget);
      if (limit === undefined)
        return tools.call(call, context).finally(() => {
          budgetUsage.release(call.id);
        });
      asking ??= context.emit(budgetUsage.question(limit, budget));
      await asking;
      return { waiting: "budget" };
    },
  };
}

const givenUpInWords = {
  finish:
    "Sent, but its answer is not waited for: the budget of this run is used up. Answer now with what you have.",
  stop: "Sent, but its answer is not waited for: the person ended the run.",
};

const givenUp = (id: ToolCallId, verdict: NonNullable<BudgetUsage["verdict"]>): ToolResult => ({
  id,
  status: "unknown",
  reason: "unfinished",
  content: [{ type: "text", text: givenUpInWords[verdict] }],
});

/** What the model reads of a call that did not run because a person ended the work or had it finished. */
export const verdictInWords = {
  finish: "Not run: the budget of this run is used up. Answer now with what you have.",
  stop: "Not run: the person ended the run.",
};
