import type { RunLimits } from "@/lib/protocol/run-limits";
import { type RunLimitsInForce, runLimits } from "@/lib/protocol/run-limits";
import type { SettingsItem } from "@/lib/protocol/settings";
import type { BaseDeps } from "@/lib/server/base-deps";
import { unsetSettings } from "@/lib/server/contract/settings";

/** What the user has set for runs whose request does not say otherwise; a run keeps what held when it began. */
export const readLimits = async ({ store }: Pick<BaseDeps, "store">, userId: string): Promise<RunLimits> =>
  (await store.settings.get<RunLimits>(userId, "limits")) ?? unsetSettings.limits;

/** What holds with these settings, for a chat and for an agent. */
export function limitsInForce(set: RunLimits): SettingsItem["limitsInForce"] {
  const { budget: _, toolExecution, ...numbers } = set;
  const withSet = (limits: RunLimitsInForce): RunLimitsInForce => ({
    ...limits,
    ...numbers,
    ...(toolExecution === "sequential" && { callsAtOnce: 1 }),
  });
  return { chat: withSet(runLimits.chat), agent: withSet(runLimits.agent) };
}
