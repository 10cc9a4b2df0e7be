import { useSyncExternalStore } from "react";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore } from "@/lib/client/http/live-store";
import type { McpCompletion, McpPromptItem, McpPromptText, McpResourceItem } from "@/lib/protocol/mcp-offers";

export interface ResourceList {
  items: McpResourceItem[];
  templates: McpResourceItem[];
}

export const serverPromptStore = new LiveStore({
  name: "prompts",
  load: async () => (await api<{ items: McpPromptItem[] }>("/api/mcp/prompts")).items,
  pace: () => null,
});
const resourceStore = new LiveStore({
  name: "resources",
  load: () => api<ResourceList>("/api/mcp/resources"),
  pace: () => null,
});

/** The prompts of all servers, fetched when `wanted`. */
export const usePrompts = (wanted: boolean) => useWanted(serverPromptStore, wanted);
export const refreshPrompts = () => serverPromptStore.refresh();

/** The resources of all servers, fetched when `wanted`. */
export const useResources = (wanted: boolean) => useWanted(resourceStore, wanted);
export const refreshResources = () => resourceStore.refresh();

function useWanted<T>(store: LiveStore<T>, wanted: boolean): Partial<Live<T>> {
  const state = useSyncExternalStore(wanted ? store.subscribe : never, store.snapshot, () => undefined);
  return wanted && state ? state : nothing;
}

const nothing = {};
const never = () => () => {};

export const getPrompt = (server: string, name: string, args: Record<string, string>) =>
  api<McpPromptText>("/api/mcp/prompts/get", { method: "POST", body: { server, name, args } });

/** Values that fit what is typed, as the server suggests them; none where it cannot. */
export async function completeArgument(
  server: string,
  ref: { type: "prompt"; name: string } | { type: "resource"; uri: string },
  argument: { name: string; value: string },
  context: Record<string, string>,
): Promise<readonly string[]> {
  const body = { server, ref, argument, context };
  const answer = await api<McpCompletion>("/api/mcp/complete", { method: "POST", body }).catch(() => null);
  return answer?.values ?? [];
}

/** The variables of a URI template (RFC 6570). */
export const variablesOf = (template: string): string[] => [
  ...new Set(
    [...template.matchAll(/\{[+#./;?&]?([^}]*)\}/g)].flatMap(([, list = ""]) =>
      list.split(",").map((name) => name.replace(/(\*|:\d+)$/, "").trim()),
    ),
  ),
];
