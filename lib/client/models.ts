import type { ModelList, SettingsItem } from "@/lib/protocol/http";
import { api } from "./http";
import { type Live, LiveStore, useLive } from "./live-store";

const models = new LiveStore<ModelList>({ name: "models", load: () => api("/api/models"), pace: () => null });
const settings = new LiveStore<SettingsItem>({
  name: "settings",
  load: () => api("/api/settings"),
  pace: () => null,
});

export function useModels(): Live<ModelList> {
  return useLive(models);
}

export function useSettings(): Live<SettingsItem> {
  return useLive(settings);
}

export function refreshModels(): Promise<void> {
  return models.refresh({ tell: true });
}

export function refreshSettings(): Promise<void> {
  return settings.refresh({ tell: true });
}

/** Shown at once; when the server refuses, the old state comes back and the error is thrown. */
export async function changeSettings(
  change: Partial<Pick<SettingsItem, "rules" | "defaultModel">>,
): Promise<void> {
  settings.change((before) => ({ ...before, ...change }));
  try {
    await api("/api/settings", { method: "PATCH", body: change });
  } finally {
    await refreshSettings();
    if ("defaultModel" in change) await refreshModels();
  }
}

export function refreshModels(): Promise<void> {
  return store.refresh({ tell: true });
}
