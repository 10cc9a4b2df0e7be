import type { SettingsItem } from "@/lib/protocol/http";
import { api } from "./http";
import { type Live, LiveStore, useLive } from "./live-store";
import { refreshModels } from "./models";

const store = new LiveStore<SettingsItem>({
  name: "settings",
  load: () => api<SettingsItem>("/api/settings"),
  pace: () => null,
});

export function useSettings(): Live<SettingsItem> {
  return useLive(store);
}

export function refreshSettings(): Promise<void> {
  return store.refresh({ tell: true });
}

/** Shown at once; when the server refuses, the old state comes back and the error is thrown. */
export async function changeSettings(
  change: Partial<Pick<SettingsItem, "rules" | "defaultModel">>,
): Promise<void> {
  store.change((before) => ({ ...before, ...change }));
  try {
    await api("/api/settings", { method: "PATCH", body: change });
  } finally {
    await refreshSettings();
    if ("defaultModel" in change) await refreshModels();
  }
}
