import type { Provider } from "@/lib/agent/ports";
import type { McpPool } from "@/lib/mcp/types";

/** Notes on each call which server it goes to and under which name, so that the log tells it for good. */
export function withToolOrigins(provider: Provider, pool: Pick<McpPool, "tool">): Provider {
  return {
    async *stream(turn) {
      for await (const chunk of provider.stream(turn)) {
        const found = chunk.type === "tool_call" && pool.tool(chunk.call.name);
        if (chunk.type !== "tool_call" || !found) yield chunk;
        else yield { ...chunk, call: { ...chunk.call, server: found.server, tool: found.item.name } };
      }
    },
  };
}
