import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, onTestFinished } from "vitest";
import type { NewApiToken, TokenOptions, TokenScope } from "@/lib/protocol/api-tokens";
import { directRoutes } from "@/lib/server/entry/direct-routes";
import { withDirectRoutes } from "@/scripts/direct-routes.mjs";
import { withEventStreams } from "@/scripts/event-streams.mjs";
import { modules, withApplication } from "./call-api";

const next = (_: IncomingMessage, response: ServerResponse) => response.writeHead(418).end();
const handle = withEventStreams(withDirectRoutes(next, () => ({ findRoute: directRoutes(modules) })));
const server = createServer((request, response) => {
  handle(request, response).catch(() => response.destroy());
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

/** Where programs reach the application of this test file. */
export const origin = `http://127.0.0.1:${port}`;
export const launchToken = "token-for-tests-only";

/** The application, behind a port as `scripts/serve.mjs` has it, with Next.js left out. */
export function withGateway(servers: Record<string, unknown>, env: Record<string, string> = {}): void {
  withApplication(servers, { PORT: String(port), ...env });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
}

/** One request to the API, as a program sends it. */
export const ask = (method: string, path: string, body?: unknown, token = launchToken): Promise<Response> =>
  fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** The token of a new client. */
export async function newToken(
  options: TokenOptions & { scopes?: TokenScope[]; name?: string } = {},
): Promise<NewApiToken> {
  const body = { name: "An editor", scopes: ["mcp"], expiresAt: null, ...options };
  const answer = await ask("POST", "/api/tokens", body);
  if (answer.status !== 201) throw new Error(await answer.text());
  return answer.json();
}

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const info = { name: "an-editor", version: "1.2.3" };

/** The client of the SDK that most programs are built on; it is closed with the test. */
export async function connect(token: string, capabilities: Record<string, unknown> = {}) {
  const client = new Client(info, { capabilities });
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), bearer(token));
  // The SDK's own classes do not fit each other under exact optional properties.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  onTestFinished(() => client.close());
  return { client, transport };
}

/** The client of its successor, which tries the revision of 2026 first. */
export async function connectNew(token: string) {
  const client = new NewClient(info, { versionNegotiation: { mode: "auto" } });
  await client.connect(new NewTransport(new URL(`${origin}/mcp`), bearer(token)));
  onTestFinished(() => client.close());
  return client;
}
