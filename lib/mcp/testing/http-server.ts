import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

export interface HttpServer {
  url: string;
  port: number;
  /** `METHOD path` of every request. */
  requests: string[];
  close(): Promise<void>;
}

/** Listens on loopback only. */
export async function listen(answer: RequestListener, port = 0): Promise<HttpServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  }).listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Sees a message before the server does; true when it has answered it. */
export type Meddler = (
  message: { id?: number; method?: string; params?: { name?: string; arguments?: Record<string, unknown> } },
  request: IncomingMessage,
  response: ServerResponse,
) => boolean;

/** A server of 2025 with the Streamable HTTP transport, which can forget its sessions. */
export function streamable(
  lost: 404 | 400 = 404,
  meddle: Meddler = () => false,
): {
  answer: RequestListener;
  forget(): void;
  calls: () => number;
} {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  let calls = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const message = request.method === "POST" ? JSON.parse(await readText(request)) : undefined;
    if (meddle(message ?? {}, request, response)) return;
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (id && !known) return response.writeHead(lost).end("No valid session ID provided");
    if (known) return known.handleRequest(request, response, message);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await echoServer(() => calls++).connect(transport as Parameters<McpServer["connect"]>[0]);
    return transport.handleRequest(request, response, message);
  };
  return { answer, forget: () => sessions.clear(), calls: () => calls };
}

export async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}

/** A server of 2024: an event stream, and messages that are posted to another address. */
export function sseOnly(): RequestListener {
  const transports = new Map<string, SSEServerTransport>();
  return async (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method === "POST" && url.pathname === "/messages")
      return transports.get(url.searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response);
    if (request.method !== "GET") return response.writeHead(405).end();
    const transport = new SSEServerTransport("/messages", response);
    transports.set(transport.sessionId, transport);
    return echoServer(() => 0).connect(transport);
  };
}

function echoServer(called: () => number): McpServer {
  const server = new McpServer({ name: "http-fixture", version: "1.0.0" });
  const answer = async () => {
    called();
    return { content: [{ type: "text" as const, text: "over HTTP" }] };
  };
  server.registerTool("echo", { description: "Answers." }, answer);
  server.registerTool("look", { description: "Answers.", annotations: { readOnlyHint: true } }, answer);
  return server;
}
