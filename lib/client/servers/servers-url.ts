/** All MCP servers in one response; in its own file, because pages preload it before any script runs. */
export const serversUrl = "/api/mcp/servers?limit=200";
