import type { McpServerItem, McpToolItem } from "@/lib/protocol/mcp";
import { addressOf } from "./server-words";

export interface FoundServer {
  server: McpServerItem;
  /** Where only tools fit: those. */
  tools: McpToolItem[] | undefined;
}

/** Servers whose name, title or address has all the words in it, and those with tools that do. */
export function findServers(servers: readonly McpServerItem[], query: string): FoundServer[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string) => words.every((word) => text.includes(word));
  return servers.flatMap((server): FoundServer[] => {
    if (fits(`${server.name} ${server.title ?? ""} ${addressOf(server)}`.toLowerCase()))
      return [{ server, tools: undefined }];
    const tools = server.tools.filter(({ name, title, description }) =>
      fits(`${server.name} ${name} ${title ?? ""} ${description}`.toLowerCase()),
    );
    return tools.length > 0 ? [{ server, tools }] : [];
  });
}
