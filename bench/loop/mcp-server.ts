import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { serveParent } from "@/bench/support/child";

/** An MCP server with one tool, `echo`, over Streamable HTTP on loopback; a session for each client. */
const sessions = new Map<string, StreamableHTTPServerTransport>();
const maxSessions = 100;

const http = createServer(async (request, response) => {
  const known = sessions.get(String(request.headers["mcp-session-id"]));
  const transport = known ?? (await openSession());
  await transport.handleRequest(request, response);
});

async function openSession(): Promise<StreamableHTTPServerTransport> {
  if (sessions.size >= maxSessions) throw new Error("Too many sessions.");
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(
    "echo",
    { description: "Says it again.", inputSchema: { text: z.string() } },
    ({ text }) => ({
      content: [{ type: "text", text }],
    }),
  );
  await server.connect(transport as Parameters<McpServer["connect"]>[0]);
  return transport;
}

http.listen(0, "127.0.0.1", () =>
  serveParent(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`),
);
