import { useSyncExternalStore } from "react";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Page } from "@/lib/protocol/http";
import type { McpDefinitionItem, McpServerConfig, McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import type { McpImport } from "@/lib/protocol/mcp-file";
import type { ToolContent } from "@/lib/protocol/message";
import { serversUrl } from "./servers-url";

const path = "/api/mcp/servers";

/** A definition that a person has looked at, by the server's own name of the tool and the hash. */
export interface ShownDefinition {
  tool: string;
  hash: string;
}

const store = new LiveStore<McpServerList>({
  name: "servers",
  load: () => api<McpServerList>(serversUrl),
  pace: (list) => (list?.items.some((server) => server.status === "connecting") ? 2000 : 10_000),
});

/** The MCP servers with their live state. */
export function useServers(): Live<McpServerList> {
  return useLive(store);
}

/** For pages that show them: called when the script is read, the list comes while React is still taking over the page. */
export const fetchServersAhead = (): void => void store.fetchAhead();

/** The address of the app that shows the results of a tool, where its server is connected and names one. */
export function useAppOf(server: string, tool: string): string | undefined {
  const find = () => {
    const tools = store.snapshot().data?.items.find(({ name }) => name === server)?.tools;
    return tools?.find(({ name }) => name === tool)?.ui?.resourceUri;
  };
  return useSyncExternalStore(store.subscribe, find, () => undefined);
}

export function refreshServers(): Promise<void> {
  return store.refresh({ tell: true });
}

/** Whether only a person can bring it on: approve, sign in, or mend what failed. */
export function needsPerson(server: McpServerItem): boolean {
  switch (server.status) {
    case "needs_approval":
    case "needs_login":
    case "failed":
      return true;
    case "connecting":
    case "ready":
    case "disabled":
    case "sleeping":
      return false;
  }
}

/** Whether it can be started anew: it has been started before, and nobody is asked about it. */
export const canRestart = ({ status }: McpServerItem): boolean =>
  status === "ready" || status === "failed" || status === "sleeping";

/** Whether a chat can use it now: it is ready, or asleep and woken by the first call. */
export function canServe({ status, tools }: McpServerItem): boolean {
  switch (status) {
    case "ready":
    case "sleeping":
      return true;
    case "connecting":
      return tools.length > 0; // it is being woken, or comes back
    case "needs_approval":
    case "needs_login":
    case "failed":
    case "disabled":
      return false;
  }
}

/** Of a list of servers, each counted once and in the same way wherever it is told; `tools` of those that are ready, without those switched off. */
export function countServers(items: readonly McpServerItem[]) {
  const counts = { ready: 0, connecting: 0, needy: 0, off: 0, tools: 0 };
  for (const server of items) {
    if (canServe(server)) {
      counts.ready += 1;
      counts.tools += server.tools.filter(({ enabled }) => enabled).length;
    } else if (needsPerson(server)) counts.needy += 1;
    else if (server.status === "disabled") counts.off += 1;
    else counts.connecting += 1;
  }
  return counts;
}

/** A pasted text; `only` of its servers are added, with what was filled in for them. */
export interface PastedServers {
  text: string;
  encrypt: boolean;
  only: string[];
  secrets: Record<string, Record<string, string>>;
}

/** How many definitions of tools wait for a decision: changed, added or taken away, and not blocked. */
export function heldDefinitions({ tools, removedTools }: McpServerItem): number {
  const differ = tools.filter(({ definition, blocked }) => definition !== "pinned" && !blocked);
  return differ.length + removedTools.length;
}

/** Changes to one server; each shows the new state in every tab and throws `ApiError`. */
export const serverActions = {
  /** `sends`: the environment variables that the person has agreed to send. */
  approve: (name: string, hash: string, sends: readonly string[] = []) =>
    act("POST", `/${encodeURIComponent(name)}/approve`, { hash, sends }),
  logout: (name: string) => act("POST", `/${encodeURIComponent(name)}/logout`, {}),
  restart: (name: string) => act("POST", `/${encodeURIComponent(name)}/restart`, {}),
  enable: (name: string, enabled: boolean) => act("PATCH", `/${encodeURIComponent(name)}`, { enabled }),
  enableTool: (name: string, tool: string, enabled: boolean) =>
    act("PATCH", `/${encodeURIComponent(name)}`, { tools: { [tool]: enabled } }),
  /** Takes these definitions as the ones that are trusted from now on. */
  acceptDefinitions: (name: string, acceptDefinitions: readonly ShownDefinition[]) =>
    act("PATCH", `/${encodeURIComponent(name)}`, { acceptDefinitions }),
  blockDefinition: (name: string, blockDefinition: ShownDefinition) =>
    act("PATCH", `/${encodeURIComponent(name)}`, { blockDefinition }),
  /** Models find its tools by a search only, or have them described. */
  defer: (name: string, deferred: boolean) => act("PATCH", `/${encodeURIComponent(name)}`, { deferred }),
  change: (name: string, config: McpServerConfig, encrypt = false) =>
    act("PATCH", `/${encodeURIComponent(name)}`, { config, encrypt }),
  remove: (name: string) => act("DELETE", `/${encodeURIComponent(name)}`),
  add: (name: string, config: McpServerConfig, encrypt = false) => act("POST", "", { name, config, encrypt }),
  /** Its sign-in may lead there, once that has been approved. */
  allowHost: (name: string, config: McpServerConfig, host: string) =>
    act("PATCH", `/${encodeURIComponent(name)}`, {
      config: { ...config, privateHosts: [...(config.privateHosts ?? []), host] },
    }),
  addApproved,
  addPasted: (pasted: PastedServers) => act("POST", "", pasted),
  /** By name; null deletes. What uses them is started again. */
  changeSecrets: (name: string, changes: Record<string, string | null>) =>
    act("PATCH", `/${encodeURIComponent(name)}/secrets`, changes),
  sleep: (name: string) => act("POST", `/${encodeURIComponent(name)}/sleep`, {}),
};

/** Adds an entry of our own, of which the person has seen the whole command, and approves exactly that command. */
async function addApproved(name: string, config: McpServerConfig): Promise<void> {
  try {
    await api(path, { method: "POST", body: { name, config } });
    const added = await api<McpServerItem>(`${path}/${encodeURIComponent(name)}`);
    const shown = [config.command, ...(config.args ?? [])];
    if (JSON.stringify(added.approvalForm.argv) === JSON.stringify(shown))
      await api(`${path}/${encodeURIComponent(name)}/approve`, {
        method: "POST",
        body: { hash: added.approvalHash },
      });
  } finally {
    await refreshServers();
  }
}

/** What a resource of a server holds. */
export async function readResource(server: string, uri: string): Promise<ToolContent[]> {
  const { content } = await api<{ content: ToolContent[] }>("/api/mcp/resources/read", {
    method: "POST",
    body: { server, uri },
  });
  return content;
}

/** Where to sign in; null when its page is in our own network, which the person is then asked about in the server's row. */
export async function beginLogin(name: string): Promise<{ url: string; host: string } | null> {
  try {
    return await api(`${path}/${encodeURIComponent(name)}/login`, { method: "POST", body: {} });
  } catch (error) {
    // The server knows why by now, and perhaps what may be done about it.
    await refreshServers();
    const server = store.snapshot().data?.items.find((item) => item.name === name);
    if (server?.login?.privateHost) return null;
    throw error;
  }
}

/** What a pasted file would add; changes nothing. */
export function previewServers(text: string): Promise<McpImport> {
  return api<McpImport>(`${path}?preview=true`, { method: "POST", body: { text, encrypt: true } });
}

export async function loadDefinitions(name: string, signal: AbortSignal): Promise<McpDefinitionItem[]> {
  const { items } = await api<Page<McpDefinitionItem>>(`${path}/${encodeURIComponent(name)}/definitions`, {
    signal,
  });
  return items;
}

async function act(method: "POST" | "PATCH" | "DELETE", tail: string, body?: unknown): Promise<void> {
  try {
    await api(`${path}${tail}`, { method, ...(body !== undefined && { body }) });
  } finally {
    await refreshServers();
  }
}
