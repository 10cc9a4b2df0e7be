// What `meguri/mcp` exports: the pool of MCP servers, whose tools the loop of `meguri/agent` calls.
export { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
export type { MCPClient, McpPool, PoolOptions, PoolTuning } from "@/lib/mcp/mcp-pool";
export { createMcpPool } from "@/lib/mcp/pool";
export type * from "@/lib/protocol/mcp";
