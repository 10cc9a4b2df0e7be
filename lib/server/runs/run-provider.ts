import type { Provider } from "@/lib/agent/ports";
import { withBudget } from "@/lib/agent/with-budget";
import { withIdleTimeout } from "@/lib/agent/with-idle-timeout";
import { withRetry } from "@/lib/agent/with-retry";
import type { Deps } from "@/lib/server/deps";
import type { LiveRun } from "./live-run";
import { withToolOrigins } from "./with-tool-origins";

/** A model that says nothing for this long is given up; a run's own `timeoutMs` may end it before. */
const idleMs = 90_000;

/** The model of one run, from outside in: budget, tool origins, retry, idle time-out, adapter. */
export function runProvider(deps: Deps, { row, chain }: LiveRun): Provider {
  const adapter = deps.providers.provider(row.model);
  const asked = withToolOrigins(withRetry(withIdleTimeout(adapter, idleMs)), deps.pool);
  return withBudget(asked, { budget: row.options.budget ?? {}, spent: chain.spent });
}
