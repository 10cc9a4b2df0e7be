import { isTooMuchAtOnce } from "@/lib/protocol/count-tokens";
import type { McpServerItem } from "@/lib/protocol/mcp";

/** What the tools of a server take where they are described: those that models get. */
export function costOf({ tools }: McpServerItem): { tools: number; tokens: number } {
  const offered = tools.filter(
    ({ enabled, blocked, ui }) => enabled && !blocked && (ui?.visibility.includes("model") ?? true),
  );
  return { tools: offered.length, tokens: offered.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** By server, what was chosen in place of what its entry says. */
export type Deferrals = Readonly<Record<string, boolean>>;

/** Whether models find its tools by a search only. */
export const isDeferred = ({ name, config }: McpServerItem, chosen: Deferrals = {}): boolean =>
  Object.hasOwn(chosen, name) ? chosen[name] === true : config.deferred === true;

/** The choice with this server described or not; what its entry says anyhow needs no choice. */
export function withDeferral(
  { name, config }: McpServerItem,
  chosen: Deferrals,
  deferred: boolean,
): Deferrals {
  const { [name]: _, ...others } = chosen;
  return deferred === (config.deferred === true) ? others : { ...others, [name]: deferred };
}

/** Of what a model can read: a person should look when the descriptions take more than this. */
const fullFrom = 0.8;

/**
 * What all of these servers take together; deferred ones take nothing. With too much of it the model searches among
 * all tools, which is no fault; full is a window in which there is hardly room for the conversation.
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
