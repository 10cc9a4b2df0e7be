import { api } from "@/lib/client/http/http";
import type { Page } from "@/lib/protocol/http";
import type { McpDefinitionItem, McpServerConfig, McpServerItem } from "@/lib/protocol/mcp";
import type { McpImport } from "@/lib/protocol/mcp-file";
import type { ToolContent } from "@/lib/protocol/message";
import { knownServer, refreshServers } from "./servers";

const path = "/api/mcp/servers";

/** A definition that a person has reviewed, by the server's own name of the tool and the hash. */
export interface ShownDefinition {
  tool: string;
  hash: string;
}

/** Whether it can be restarted: it has been started before and does not wait for a person. */
export const canRestart = ({ status }: McpServerItem): boolean =>
  status === "ready" || status === "failed" || status === "sleeping";

/** A pasted text; only its servers in `only` are added, with the values that were filled in for them. */
export interface PastedServers {
  text: string;
  encrypt: boolean;
  only: string[];
  secrets: Record<string, Record<string, string>>;
}

/** How many tool definitions need a decision: changed, added or removed, and not blocked. */
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
  /** Trusts these definitions from now on. */
  acceptDefinitions: (name: string, acceptDefinitions: readonly ShownDefinition[]) =>
    act("PATCH", `/${encodeURIComponent(name)}`, { acceptDefinitions }),
  blockDefinition: (name: string, blockDefinition: ShownDefinition) =>
    act("PATCH", `/${encodeURIComponent(name)}`, { blockDefinition }),
  /** Whether models find its tools by search only, or get their descriptions. */
  defer: (name: string, deferred: boolean) => act("PATCH", `/${encodeURIComponent(name)}`, { deferred }),
  change: (name: string, config: McpServerConfig, encrypt = false) =>
    act("PATCH", `/${encodeURIComponent(name)}`, { config, encrypt }),
  remove: (name: string) => act("DELETE", `/${encodeURIComponent(name)}`),
  add: (name: string, config: McpServerConfig, encrypt = false) => act("POST", "", { name, config, encrypt }),
  /** Allows its sign-in to use this address. */
  allowHost: (name: string, config: McpServerConfig, host: string) =>
    act("PATCH", `/${encodeURIComponent(name)}`, {
      config: { ...config, privateHosts: [...(config.privateHosts ?? []), host] },
    }),
  addApproved,
  addPasted: (pasted: PastedServers) => act("POST", "", pasted),
  /** By name; null deletes. Servers that use them are restarted. */
  changeSecrets: (name: string, changes: Record<string, string | null>) =>
    act("PATCH", `/${encodeURIComponent(name)}/secrets`, changes),
  sleep: (name: string) => act("POST", `/${encodeURIComponent(name)}/sleep`, {}),
};

/** Adds an entry from the form and approves exactly the command that the person has seen there. */
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

/** The contents of a resource. */
export async function readResource(server: string, uri: string): Promise<ToolContent[]> {
  const { content } = await api<{ content: ToolContent[] }>("/api/mcp/resources/read", {
    method: "POST",
    body: { server, uri },
  });
  return content;
}

/** Where to sign in; null when that page is in a private network: the person is then asked about it in the server's row. */
export async function beginLogin(
  name: string,
  conversationId?: string,
): Promise<{ url: string; host: string } | null> {
  try {
    const body = conversationId === undefined ? {} : { conversationId };
    return await api(`${path}/${encodeURIComponent(name)}/login`, { method: "POST", body });
  } catch (error) {
    // The server's state now says why, and may say what to do.
    await refreshServers();
    if (knownServer(name)?.login?.privateHost) return null;
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
