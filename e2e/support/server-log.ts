import type { McpLogLine } from "@/lib/protocol/mcp-offers";
import { apiOf } from "./api";
import type { App } from "./app";

/** Counts how often a line is written in the log of a server from now on; tests share servers, and so their logs. */
export function countFromNow(app: Pick<App, "fetch">, server: string, line: string): () => Promise<number> {
  const from = new Date().toISOString();
  return async () => {
    const { items } = await apiOf(app).get<{ items: McpLogLine[] }>(`/api/mcp/servers/${server}/logs`);
    return items.filter(({ at, text }) => at >= from && text.includes(line)).length;
  };
}
