import type { ModelList } from "@/lib/protocol/http";
import { api } from "./http";
import { type Live, LiveStore, useLive } from "./live-store";

const store = new LiveStore<ModelList>({
  name: "models",
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
