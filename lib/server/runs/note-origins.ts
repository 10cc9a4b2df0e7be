import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { ModelChunk } from "@/lib/protocol/chunk";

/** For `mapTurn`: notes on each call which server it goes to and under which name, so that the log tells it for good. */
export function noteOrigins(pool: Pick<McpPool, "tool">): (chunk: ModelChunk) => ModelChunk {
  return (chunk) => {
    const found = chunk.type === "tool_call" && pool.tool(chunk.call.name);
    return found ? { ...chunk, call: { ...chunk.call, server: found.server, tool: found.item.name } } : chunk;
  };
}
