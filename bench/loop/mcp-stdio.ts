import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createToolServer } from "./mcp-tools";

/** The MCP server on standard input and output; with the argument "many" it has 500 tools. */
const server = createToolServer(process.argv[2] === "many", { calls: 0, cancelled: 0 });
await server.connect(new StdioServerTransport() as Parameters<Server["connect"]>[0]);
