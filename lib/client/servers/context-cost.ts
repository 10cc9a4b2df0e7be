import { isTooMuchAtOnce } from "@/lib/protocol/count-tokens";
import type { McpServerItem } from "@/lib/protocol/mcp";

/** What the descriptions of a server's tools cost, for the tools that models get. */
export function costOf({ tools }: McpServerItem): { tools: number; tokens: number } {
  const offered = tools.filter(
    ({ enabled, blocked, ui }) => enabled && !blocked && (ui?.visibility.includes("model") ?? true),
  );
  return { tools: offered.length, tokens: offered.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** By server, what was chosen instead of what its entry says. */
export type Deferrals = Readonly<Record<string, boolean>>;

/** Whether models find its tools by a search only. */
export const isDeferred = ({ name, config }: McpServerItem, chosen: Deferrals = {}): boolean =>
  Object.hasOwn(chosen, name) ? chosen[name] === true : config.deferred === true;

/** The choice with this server deferred or not; what its entry says already needs no choice. */
export function withDeferral(
  { name, config }: McpServerItem,
  chosen: Deferrals,
  deferred: boolean,
): Deferrals {
  const { [name]: _, ...others } = chosen;
  return deferred === (config.deferred === true) ? others : { ...others, [name]: deferred };
}

/** Share of the context window: descriptions that take more need a person's attention. */
const fullFrom = 0.8;

/**
 * The cost of all these servers; deferred ones cost nothing. If it is too much, the model searches all tools, which is
 * no fault; the window is full when hardly any room is left for the conversation.
 */
export function costOfAll(servers: readonly McpServerItem[], window: number | null, chosen: Deferrals = {}) {
  const costs = servers.filter((server) => !isDeferred(server, chosen)).map(costOf);
  const tokens = costs.reduce((sum, cost) => sum + cost.tokens, 0);
  const tools = costs.reduce((sum, cost) => sum + cost.tools, 0);
  return {
    tokens,
    isTooMuch: isTooMuchAtOnce({ tools, tokens }, window ?? undefined),
    isFull: window !== null && tokens > window * fullFrom,
  };
}
