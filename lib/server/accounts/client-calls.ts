import type { ClientCalls } from "@/lib/protocol/gateway";
import type { BaseDeps } from "@/lib/server/base-deps";

const dayMs = 24 * 3_600_000;
/** Runs that are looked through. */
const maxCounted = 10_000;

/** How much programs have called in the last 24 hours, by the token that each has. */
export async function countCalls({ store }: Pick<BaseDeps, "store">, userId: string): Promise<ClientCalls> {
  const since = Date.now() - dayMs;
  const { counts, isWhole } = await store.runs.countCalls(userId, since, maxCounted);
  return { since: new Date(since).toISOString(), items: counts, isWhole };
}
