import { useEffect, useState } from "react";
import { api } from "@/lib/client/http/http";
import type { Page } from "@/lib/protocol/http";
import type { McpSavedRequest } from "@/lib/protocol/mcp-offers";

const pathOf = (server: string) => `/api/mcp/servers/${encodeURIComponent(server)}/requests`;

/** The saved arguments for trying the tools of a server, and how to change them; both throw `ApiError`. */
export function useSavedRequests(server: string) {
  const [items, setItems] = useState<readonly McpSavedRequest[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    api<Page<McpSavedRequest>>(pathOf(server), { signal: stop.signal }).then(
      (page) => setItems(page.items),
      () => {}, // then there is nothing to choose from; saving tells what is wrong
    );
    return () => stop.abort();
  }, [server]);
  return {
    items,
    save: async (body: Pick<McpSavedRequest, "tool" | "name" | "args">) =>
      setItems((await api<Page<McpSavedRequest>>(pathOf(server), { method: "POST", body })).items),
    drop: async (id: string) =>
      setItems((await api<Page<McpSavedRequest>>(`${pathOf(server)}/${id}`, { method: "DELETE" })).items),
  };
}

export type SavedRequests = ReturnType<typeof useSavedRequests>;
