import {
  daysBefore,
  type EverybodysUsage,
  maxListedPeople,
  type UsageItem,
  usageDays,
} from "@/lib/protocol/person-limits";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { Limits } from "./person-limits";

type UsageDeps = Pick<BaseDeps, "store"> & { limits: Limits };

/** What this person has used and may use. */
export async function usageOf({ store, limits }: UsageDeps, userId: string): Promise<UsageItem> {
  const today = await limits.usedToday(userId);
  const [inForce, bytes, days] = await Promise.all([
    limits.of(userId),
    store.attachments.bytesOf(userId),
    store.usageDays.of(userId, daysBefore(Date.now(), usageDays - 1)),
  ]);
  // What goes on is counted in memory until it ends.
  const earlier = days.filter(({ day }) => day !== today.day);
  return {
    ...{ limits: inForce, today, bytes },
    days: today.tokens > 0 ? [today, ...earlier] : earlier,
    retentionDays: limits.shared.retention.days ?? null,
  };
}

/** What everybody has used on the last days together, by answers that have ended. */
export const everybodysUsage = ({ store }: UsageDeps, days: number): Promise<EverybodysUsage> =>
  store.usageDays.everybody(daysBefore(Date.now(), days - 1), maxListedPeople);
