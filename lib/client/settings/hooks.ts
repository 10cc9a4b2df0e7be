import { useMemo } from "react";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { HookDelivery, HookEvent, HookItem, NewHook } from "@/lib/protocol/hooks";
import type { Page } from "@/lib/protocol/http";

const hooks = new LiveStore<Page<HookItem>>({
  name: "hooks",
  hint: "settings",
  load: () => api<Page<HookItem>>("/api/hooks"),
  pace: () => 10_000,
});

export function useHooks(): Live<Page<HookItem>> {
  return useLive(hooks);
}

export const refreshHooks = (): Promise<void> => hooks.refresh({ tell: true });

const pathOf = (id: string) => `/api/hooks/${encodeURIComponent(id)}`;

async function change<Answer>(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
): Promise<Answer> {
  try {
    return await api<Answer>(path, { method, ...(body && { body }) });
  } finally {
    await refreshHooks();
  }
}

/** Its secret is not shown again. */
export const addHook = (fields: { url: string; events: readonly HookEvent[] }): Promise<NewHook> =>
  change("POST", "/api/hooks", fields);

export const patchHook = (
  id: string,
  patch: { url?: string; events?: readonly HookEvent[]; enabled?: boolean },
): Promise<HookItem> => change("PATCH", pathOf(id), patch);

export const deleteHook = (id: string): Promise<unknown> => change("DELETE", pathOf(id));

export interface Deliveries extends Live<Page<HookDelivery>> {
  refresh(): Promise<void>;
}

/** The newest ones of a hook. */
export function useDeliveries(hookId: string): Deliveries {
  const store = useMemo(
    () =>
      new LiveStore<Page<HookDelivery>>({
        name: `deliveries:${hookId}`,
        load: () => api<Page<HookDelivery>>(`${pathOf(hookId)}/deliveries?limit=30`),
        pace: (page) => (page?.items.some(({ state }) => state === "waiting") ? 1_500 : 5_000),
      }),
    [hookId],
  );
  return { ...useLive(store), refresh: () => store.refresh({ tell: true }) };
}

export const sendTest = (hookId: string): Promise<HookDelivery> =>
  api(`${pathOf(hookId)}/test`, { method: "POST", body: {} });

export const sendAgain = (hookId: string, id: string): Promise<HookDelivery> =>
  api(`${pathOf(hookId)}/deliveries/${encodeURIComponent(id)}`, { method: "POST", body: {} });
