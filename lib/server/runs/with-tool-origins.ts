import type { Provider } from "@/lib/agent/ports";
import type { McpPool } from "@/lib/mcp/types";
import type { ModelChunk } from "@/lib/protocol/chunk";

type Next = IteratorResult<ModelChunk>;

/** Notes on each call which server it goes to and under which name, so that the log tells it for good. */
export function withToolOrigins(provider: Provider, pool: Pick<McpPool, "tool">): Provider {
  const note = (next: Next): Next => {
    if (next.done || next.value.type !== "tool_call") return next;
    const { call } = next.value;
    const found = pool.tool(call.name);
    const origin = found && { server: found.server, tool: found.item.name };
    return origin ? { done: false, value: { ...next.value, call: { ...call, ...origin } } } : next;
  };
  return {
    stream: (turn) => ({
      [Symbol.asyncIterator]: () => {
        const chunks = provider.stream(turn)[Symbol.asyncIterator]();
        return {
          next: () => chunks.next().then(note),
          return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
        };
      },
    }),
  };
}
