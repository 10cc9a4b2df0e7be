import { addCost } from "@/lib/agent/add-cost";
import { mapTurn } from "@/lib/agent/map-turn";
import type { Provider } from "@/lib/agent/ports";
import { withBudget } from "@/lib/agent/with-budget";
import { withContextLimit } from "@/lib/agent/with-context-limit";
import { withRetry } from "@/lib/agent/with-retry";
import { withStoredFiles } from "@/lib/agent/with-stored-files";
import { withStructuredOutput } from "@/lib/agent/with-structured-output";
import { withTurnTimeouts } from "@/lib/agent/with-timeouts";
import { type RunTrace, withTracedTurns } from "@/lib/agent/with-tracing";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { runLimits } from "@/lib/protocol/run-limits";
import { priceOf } from "@/lib/server/settings/prices";
import type { LiveRun } from "./live-run";
import { noteOrigins } from "./note-origins";
import type { RunDeps } from "./run-deps";
import { fileReader } from "./run-files";

/** The model of one run, from outside in: traces, budget, structured output, context limit, origins of calls and cost, retry, idle time-out, stored files, adapter. */
export async function runProvider(
  deps: RunDeps,
  { row, chain, archive }: LiveRun,
  trace: RunTrace | undefined,
): Promise<Provider> {
  const {
    firstTokenMs,
    betweenTokensMs,
    budget = {},
    responseSchema,
  } = {
    ...runLimits.chat,
    ...row.options,
  };
  const adapter = withStoredFiles(deps.providers.provider(row.model), fileReader(deps));
  const asked = withRetry(withTurnTimeouts(adapter, firstTokenMs, betweenTokensMs));
  const price = await priceOf(deps, row.userId, row.model);
  const origin = noteOrigins(deps.pool);
  const cost = price ? addCost(price) : (chunk: ModelChunk) => chunk;
  const noted = mapTurn(asked, (chunk) => cost(origin(chunk)));
  const window = deps.providers.window(row.model);
  const fitting = withContextLimit(noted, { window, archive });
  const shaped = responseSchema ? withStructuredOutput(fitting, responseSchema) : fitting;
  const bounded = withBudget(shaped, { budget, spent: chain.spent });
  return trace ? withTracedTurns(bounded, trace) : bounded;
}
