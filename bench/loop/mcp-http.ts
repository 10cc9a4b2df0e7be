import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { serveParent } from "@/bench/support/child";
import { type Called, createToolServer } from "./mcp-tools";

/** The MCP server over Streamable HTTP on loopback, a session for each client: `/few`, and `/many` with 500 tools. */
const sessions = new Map<string, StreamableHTTPServerTransport>();
/** One contestant opens a thousand in a round and closes none; the others must keep theirs. */
const maxSessions = 8_000;
const called: Called = { calls: 0, cancelled: 0 };

const http = createServer(async (request, response) => {
  const id = String(request.headers["mcp-session-id"]);
  const known = sessions.get(id);
  if (known) {
    sessions.delete(id);
    sessions.set(id, known); // now the last to be dropped
  }
  const transport = known ?? (await openSession(request.url === "/many"));
  await transport.handleRequest(request, response);
});

async function openSession(many: boolean): Promise<StreamableHTTPServerTransport> {
  const [oldest] = sessions.keys();
  if (oldest && sessions.size >= maxSessions) sessions.delete(oldest);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await createToolServer(many, called).connect(transport as Parameters<Server["connect"]>[0]);
  return transport;
}

http.keepAliveTimeout = 600_000; // contestants rest while the others run
http.listen(0, "127.0.0.1", () =>
  serveParent(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, async () => {
    const since = { ...called };
    Object.assign(called, { calls: 0, cancelled: 0 });
    return since;
  }),
);
