import { api } from "@/lib/client/http/http";
import type { McpApp, McpAppCall, McpResourceContent } from "@/lib/protocol/mcp-offers";

const post = <T>(path: string, body: unknown, signal?: AbortSignal) =>
  api<T>(`/api/mcp/apps/${path}`, { method: "POST", body, ...(signal && { signal }) });

/** The current version of an app; throws `ApiError`. */
export const openApp = (server: string, uri: string, signal: AbortSignal) =>
  post<McpApp>("open", { server, uri }, signal);

/** `approved`: the definition that a person allowed, for this call or (`always`) for every call. */
export const callForApp = (
  call: { server: string; tool: string; args: Record<string, unknown>; approved?: string; always?: boolean },
  signal: AbortSignal,
) => post<McpAppCall>("call", call, signal);

export const readForApp = (server: string, uri: string) =>
  post<{ contents: McpResourceContent[] }>("read", { server, uri });

/** The hosts of content sources, without scheme and path, each once. */
export const hostsOf = (sources: readonly string[]): string[] => [
  ...new Set(sources.map((source) => source.replace(/^\w+:\/\//, "").replace(/\/.*$/, ""))),
];

/** The host of an address that an app tried; what is not an address (`inline`, `data`) is returned as it is. */
export function triedHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url.slice(0, 40) : url.slice(0, 40);
}

/** Whether the host is one of the named ones, wildcards included. */
export const isAmong = (host: string, named: readonly string[]): boolean =>
  named.some((name) => (name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name));
