import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { DataUsage, Retention, RetentionForecast } from "@/lib/protocol/data";

const store = new LiveStore<DataUsage>({
  name: "usage",
  load: () => api<DataUsage>("/api/data/usage"),
  pace: () => 60_000,
});

export function useUsage(): Live<DataUsage> {
  return useLive(store);
}

export function refreshUsage(): Promise<void> {
  return store.refresh({ tell: true });
}

/** What this retention would delete now; nothing where it has no limit. */
export async function foresee({ days, bytes }: Retention): Promise<RetentionForecast> {
  const query = new URLSearchParams();
  if (days !== undefined) query.set("days", String(days));
  if (bytes !== undefined) query.set("bytes", String(bytes));
  if (query.size === 0) return { conversations: 0, bytes: 0, isCut: false };
  const { wouldDelete } = await api<DataUsage>(`/api/data/usage?${query}`);
  return wouldDelete ?? { conversations: 0, bytes: 0, isCut: false };
}
