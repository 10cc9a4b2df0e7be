import { useSyncExternalStore } from "react";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import { serversUrl } from "./servers-url";

const store = new LiveStore<McpServerList>({
  name: "servers",
  hint: "servers",
  load: () => api<McpServerList>(serversUrl),
  pace: (list) => (list?.items.some((server) => server.status === "connecting") ? 2000 : 10_000),
});

/** The MCP servers with their live state. */
export function useServers(): Live<McpServerList> {
  return useLive(store);
}

/** Whether the entries of the operator are in a file that is deployed: the server refuses to change them here. */
export function useIsManaged({ owner }: { owner: string } = { owner: "operator" }): boolean {
  const isManaged = () => store.snapshot().data?.isManaged ?? false;
  return useSyncExternalStore(store.subscribe, isManaged, () => false) && owner === "operator";
}

/** For pages that show the servers: called while the script loads, it fetches the list while React still hydrates. */
export const fetchServersAhead = (): void => void store.fetchAhead();

/** The URI of the app that shows the results of a tool, if its server is connected and names one. */
export function useAppOf(server: string, tool: string): string | undefined {
  const find = () => {
    return knownServer(server)?.tools.find(({ name }) => name === tool)?.ui?.resourceUri;
  };
  return useSyncExternalStore(store.subscribe, find, () => undefined);
}

export function refreshServers(): Promise<void> {
  return store.refresh({ tell: true });
}

/** Whether it needs a person: to approve it, to sign in, or to fix what failed. */
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

/** Whether it does not work because a value that its entry refers to has not been entered. */
export const lacksSecret = ({ status, secrets }: McpServerItem): boolean =>
  status === "failed" && secrets.some(({ used, stored }) => used && !stored);

/** Whether it needs the person who is here, who does not set Meguri up: a value or a sign-in of their own. */
export const needsMember = (server: McpServerItem): boolean =>
  server.scope === "user" && (server.status === "needs_login" || lacksSecret(server));

/** Whether a chat can use it now: it is ready, or idle and started by the first call. */
export function canServe({ status, tools }: McpServerItem): boolean {
  switch (status) {
    case "ready":
    case "sleeping":
      return true;
    case "connecting":
      return tools.length > 0; // it is starting again or reconnecting
    case "needs_approval":
    case "needs_login":
    case "failed":
    case "disabled":
      return false;
  }
}

/** Counts servers in the same way for every place that shows the numbers; `tools` are those of ready servers that are on. */
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

/** What is known of one server. */
export const knownServer = (name: string): McpServerItem | undefined =>
  store.snapshot().data?.items.find((item) => item.name === name);
