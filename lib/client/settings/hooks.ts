import { useMemo } from "react";
import { changesOf } from "@/lib/client/http/changes-of";
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

const act = changesOf("/api/hooks", refreshHooks);

/** Its secret is not shown again. */
export const addHook = (fields: { url: string; events: readonly HookEvent[] }) =>
  act<NewHook>("POST", "", fields);

export const patchHook = (
  id: string,
  patch: { url?: string; events?: readonly HookEvent[]; enabled?: boolean },
) => act<HookItem>("PATCH", `/${id}`, patch);

export const deleteHook = (id: string) => act<unknown>("DELETE", `/${id}`);

export interface Deliveries extends Live<Page<HookDelivery>> {
  refresh(): Promise<void>;
}

/** The newest ones of a hook. */
export function useDeliveries(hookId: string): Deliveries {
  const store = useMemo(
    () =>
      new LiveStore<Page<HookDelivery>>({
        name: `deliveries:${hookId}`,
        load: () => api<Page<HookDelivery>>(`/api/hooks/${hookId}/deliveries?limit=30`),
        pace: (page) => (page?.items.some(({ state }) => state === "waiting") ? 1_500 : 5_000),
      }),
    [hookId],
  );
  return { ...useLive(store), refresh: () => store.refresh({ tell: true }) };
}

export const sendTest = (hookId: string): Promise<HookDelivery> =>
  api(`/api/hooks/${hookId}/test`, { method: "POST", body: {} });

export const sendAgain = (hookId: string, id: string): Promise<HookDelivery> =>
  api(`/api/hooks/${hookId}/deliveries/${id}`, { method: "POST", body: {} });
