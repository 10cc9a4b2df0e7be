import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { directRoutes, type RouteModules } from "@/lib/server/entry/direct-routes";
import { withDirectRoutes } from "@/scripts/direct-routes.mjs";
import { withEventStreams } from "@/scripts/event-streams.mjs";
import { modules } from "./call-api";

/** The server before Next.js on 127.0.0.1, with a stand-in for that; on any port unless told. */
export async function serveRoutes(routes: RouteModules = modules, at = 0) {
  const runtime = () => ({ findRoute: directRoutes(routes) });
  const next = (_: IncomingMessage, response: ServerResponse) => response.writeHead(418).end("Next.js");
  const handle = withEventStreams(withDirectRoutes(next, runtime));
  const failures: unknown[] = [];
  const server = createServer((asked, response) => {
    handle(asked, response).catch((cause: unknown) => failures.push(cause));
  });
  // As the server itself has it. Client and server share a process here, and 100 MB can hold it up for longer than Node's 5 s.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { server, failures, port: (server.address() as AddressInfo).port, close };
}
