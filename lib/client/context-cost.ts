import { isTooMuchAtOnce } from "@/lib/protocol/count-tokens";
import type { McpServerItem } from "@/lib/protocol/mcp";

/** What the tools of a server take where they are described: those that models get. */
export function costOf({ tools }: McpServerItem): { tools: number; tokens: number } {
  const offered = tools.filter(
    ({ enabled, blocked, ui }) => enabled && !blocked && (ui?.visibility.includes("model") ?? true),
  );
  return { tools: offered.length, tokens: offered.reduce((sum, { tokens }) => sum + tokens, 0) };
}

export const isDeferred = ({ config }: McpServerItem): boolean => config.deferred === true;

/** What all of these servers take together; deferred ones take nothing. */
export function costOfAll(servers: readonly McpServerItem[], window: number | null) {
  const costs = servers.filter((server) => !isDeferred(server)).map(costOf);
  const tokens = costs.reduce((sum, cost) => sum + cost.tokens, 0);
  const tools = costs.reduce((sum, cost) => sum + cost.tools, 0);
  return { tokens, isTooMuch: isTooMuchAtOnce({ tools, tokens }, window ?? undefined) };
}
