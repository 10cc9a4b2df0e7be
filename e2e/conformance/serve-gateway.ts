import { once } from "node:events";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import type { NewApiToken } from "@/lib/protocol/api-tokens";
import { startApp } from "../support/app";

/**
 * The application as a server of MCP, for the server scenarios of the conformance suite: the production build, and behind it the
 * tools that the suite asks for. The suite sends no token: what answers here sends each request on with that of a client with plain
 * names. Prints its address when it is ready, and lives until its standard input ends.
 */
const app = await startApp({
  env: { TOOL_APPROVAL: "allow" },
  mcpConfig: {
    mcpServers: {
      reference: { command: "node", args: ["lib/mcp/testing/reference-server.mjs"], sampling: true },
    },
  },
});
const made = await app.fetch("/api/tokens", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    ...{ name: "The suite", scopes: ["mcp"], servers: ["reference"], names: "plain", expiresAt: null },
  }),
});
const { value } = (await made.json()) as NewApiToken;

const own = new URL(app.ownUrl);
const bridge = createServer((request, response) => {
  const { host = "", origin, ...headers } = request.headers;
  const here = `127.0.0.1:${port}`;
  const onward = ask(
    {
      ...{ host: own.hostname, port: own.port, path: request.url, method: request.method },
      headers: {
        ...headers,
        host: host.replace(here, own.host),
        ...(origin && { origin: origin.replace(here, own.host) }),
        authorization: `Bearer ${value}`,
      },
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
      pipeline(answer, response, () => {});
    },
  );
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  pipeline(request, onward, () => {});
}).listen(0, "127.0.0.1");
await once(bridge, "listening");
const { port } = bridge.address() as AddressInfo;
await connected();
console.log(`http://127.0.0.1:${port}/mcp`);
for await (const _ of process.stdin);
bridge.closeAllConnections();
bridge.close();
await app.dispose();

async function connected(): Promise<void> {
  for (let count = 0; count < 300; count++) {
    const { items } = (await (await app.fetch("/api/mcp/servers")).json()) as { items: { status: string }[] };
    if (items.every(({ status }) => status === "ready")) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The server with the suite's tools has not connected within 30 s.");
}
