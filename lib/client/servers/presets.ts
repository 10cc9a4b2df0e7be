import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { ServerPreset } from "@/lib/protocol/choice";
import type { Page } from "@/lib/protocol/http";

const path = "/api/mcp/presets";

const store = new LiveStore<Page<ServerPreset>>({
  name: "presets",
  load: () => api<Page<ServerPreset>>(path),
  pace: () => null,
});

/** Named sets of servers. */
export function usePresets(): Live<Page<ServerPreset>> {
  return useLive(store);
}

/** The preset that new conversations start with. */
export const defaultPreset = (
  list: Page<ServerPreset> | undefined = store.snapshot().data,
): ServerPreset | undefined => list?.items.find((preset) => preset.default);

export const presetsKnown = (): Promise<unknown> => store.known();

/** Names that look the same count as the same, as on the server. */
export const isSameName = (a: string, b: string): boolean => plain(a) === plain(b);
const plain = (text: string) => text.trim().normalize("NFKC").toLowerCase();

/** Whether these servers are chosen and no others. */
export const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));

/** Each updates every tab and throws `ApiError`. */
export const presetActions = {
  add: (preset: Omit<ServerPreset, "id">) => act("POST", "", preset),
  change: (id: string, patch: Partial<Omit<ServerPreset, "id">>) => act("PATCH", `/${id}`, patch),
  remove: (id: string) => act("DELETE", `/${id}`),
};

async function act(method: "POST" | "PATCH" | "DELETE", tail: string, body?: unknown): Promise<void> {
  try {
    await api(`${path}${tail}`, { method, ...(body !== undefined && { body }) });
  } finally {
    await store.refresh({ tell: true });
  }
}
