import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { ApiTokenItem, NewApiToken, TokenOptions, TokenScope } from "@/lib/protocol/api-tokens";
import type { Page } from "@/lib/protocol/http";

const tokens = new LiveStore<Page<ApiTokenItem>>({
  name: "tokens",
  load: () => api<Page<ApiTokenItem>>("/api/tokens"),
  pace: () => 60_000,
});

export function useTokens(): Live<Page<ApiTokenItem>> {
  return useLive(tokens);
}

export const refreshTokens = (): Promise<void> => tokens.refresh({ tell: true });

/** Its value is not shown again. */
export async function makeToken(
  fields: { name: string; scopes: readonly TokenScope[]; expiresAt: string | null } & TokenOptions,
): Promise<NewApiToken> {
  const made = await api<NewApiToken>("/api/tokens", { method: "POST", body: fields });
  await refreshTokens();
  return made;
}

export async function deleteToken(id: string): Promise<void> {
  try {
    await api(`/api/tokens/${id}`, { method: "DELETE" });
  } finally {
    await refreshTokens();
  }
}
