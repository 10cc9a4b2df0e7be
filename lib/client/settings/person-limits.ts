import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Role } from "@/lib/protocol/accounts";
import type { EverybodysUsage, LimitsPatch, SharedLimits, UsageItem } from "@/lib/protocol/person-limits";
import { refreshPeople } from "./people";

const own = new LiveStore<UsageItem>({
  name: "own usage",
  load: () => api<UsageItem>("/api/usage"),
  pace: () => 60_000,
});

const shared = new LiveStore<SharedLimits>({
  name: "limits",
  load: () => api<SharedLimits>("/api/limits"),
  pace: () => null,
});

/** Days back; the page offers these. */
export const usagePeriods = [1, 7, 30] as const;
export type UsagePeriod = (typeof usagePeriods)[number];

const ofPeriod = (days: UsagePeriod) =>
  new LiveStore<EverybodysUsage>({
    name: `usage of ${days} days`,
    load: () => api<EverybodysUsage>(`/api/usage?everybody=true&days=${days}`),
    pace: () => 60_000,
  });

const everybodys = { 1: ofPeriod(1), 7: ofPeriod(7), 30: ofPeriod(30) };

/** What one has used and may use. */
export const useOwnUsage = (): Live<UsageItem> => useLive(own);
export const refreshOwnUsage = (): Promise<void> => own.refresh();

/** What everybody has used, for admins. */
export const useEverybodysUsage = (days: UsagePeriod): Live<EverybodysUsage> => useLive(everybodys[days]);
export const refreshEverybodysUsage = (days: UsagePeriod): Promise<void> => everybodys[days].refresh();

/** Limits by role, for admins. */
export const useSharedLimits = (): Live<SharedLimits> => useLive(shared);
export const refreshSharedLimits = (): Promise<void> => shared.refresh({ tell: true });

export async function changeSharedLimits(
  patch: { [Of in Role]?: LimitsPatch } & { retention?: { days: number | null } },
): Promise<void> {
  try {
    await api("/api/limits", { method: "PATCH", body: patch });
  } finally {
    await Promise.all([refreshSharedLimits(), refreshPeople()]);
  }
}
