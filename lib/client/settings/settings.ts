import { refreshModels } from "@/lib/client/conversation/models";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type {
  EndpointChange,
  EndpointItem,
  ModelTraits,
  Price,
  ProviderTest,
  SettingsItem,
  StoredSettings,
} from "@/lib/protocol/settings";

const store = new LiveStore<SettingsItem>({
  name: "settings",
  hint: "settings",
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
export async function changeSettings(change: Partial<StoredSettings>): Promise<void> {
  store.change((before) => ({ ...before, ...change }));
  await patch(change);
}

/** What is absent stays as it is; a `null` address means the provider's own. */
export interface Access {
  apiKey?: string;
  baseURL?: string | null;
}

/** Of an endpoint also its headers and the models that are named by hand. */
export type EndpointAccess = Partial<Pick<EndpointChange, "apiKey" | "baseURL" | "headers" | "models">>;

/** Stores a key and an address; `null` removes both. */
export function changeProvider(id: string, access: Access | null): Promise<void> {
  return patch({ providers: { [id]: access } });
}

/** Changes the list of endpoints as it is now on the server: what another tab has added meanwhile stays. */
export async function changeEndpoints(change: (list: EndpointChange[]) => EndpointChange[]): Promise<void> {
  const { endpoints } = await api<SettingsItem>("/api/settings");
  await patch({ endpoints: change(endpoints.filter(({ source }) => source === "settings").map(toChange)) });
}

/** Secrets are absent, so that they stay. */
const toChange = ({ id, name, baseURL, api, models }: EndpointItem): EndpointChange => ({
  ...{ id, name, baseURL, api },
  ...(models && { models }),
});

/** Replaces the prices that the user has set, by model. */
export function changePrices(prices: Record<string, Price>): Promise<void> {
  return patch({ prices });
}

/** What is said of a model; a field that is null goes back to what is found out. */
export type TraitsChange = { [Trait in keyof ModelTraits]?: ModelTraits[Trait] | null };

export function changeTraits(model: string, traits: TraitsChange): Promise<void> {
  return patch({ models: { [model]: traits } });
}

/** A private address may be tested before it is saved: the person has just typed it, and the test confirms that it is meant. */
export function testProvider(id: string, access: Access | EndpointAccess): Promise<ProviderTest> {
  const address = access.baseURL ? URL.parse(access.baseURL) : null;
  const privateHost =
    address && `${address.hostname}:${address.port || (address.protocol === "https:" ? 443 : 80)}`;
  const body = { ...access, ...(privateHost && { privateHost }) };
  return api<ProviderTest>(`/api/providers/${id}/test`, { method: "POST", body });
}

async function patch(change: object): Promise<void> {
  try {
    await api("/api/settings", { method: "PATCH", body: change });
  } finally {
    await refreshSettings();
    const shown = ["defaultModel", "providers", "endpoints", "models", "prices"];
    if (shown.some((field) => field in change)) await refreshModels();
  }
}
