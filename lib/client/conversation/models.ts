import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { ModelItem, ModelList } from "@/lib/protocol/settings";

const store = new LiveStore<ModelList>({
  name: "models",
  hint: "settings",
  load: () => api<ModelList>("/api/models?limit=200"),
  pace: () => null,
});

/** The models that can be chosen, and why others cannot. */
export function useModels(): Live<ModelList> {
  return useLive(store);
}

export function refreshModels(): Promise<void> {
  return store.refresh({ tell: true });
}

/** The model with this id, else the default. */
export function useModel(id: string | null): ModelItem | undefined {
  const { data } = useModels();
  return (
    data?.items.find((item) => item.id === id) ?? data?.items.find((item) => item.id === data.defaultModel)
  );
}

/** Those of chosen models that can be reached: one may have been removed since it was chosen. */
export function useReachable(ids: readonly string[]): string[] {
  const { data } = useModels();
  return ids.filter((id) => data?.items.some((item) => item.id === id && item.reachable));
}

const freshMs = 10_000;
let lookedAt = 0;

/** Checks again which models can be reached, unless that was done a moment ago. */
export function lookForModels(): void {
  if (Date.now() - lookedAt < freshMs) return;
  lookedAt = Date.now();
  void store.refresh();
}
