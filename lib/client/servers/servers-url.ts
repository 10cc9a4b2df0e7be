/** All MCP servers at once; a file of its own, as pages name it before any script runs. */
export const serversUrl = "/api/mcp/servers?limit=200";
