// A server of the 2026-07-28 wire on the protocol's own package: `node modern-server.mjs stdio|http <journal> [port]`. It speaks
// no older wire. Calls, cancellations and the way answers have come are lines in the journal; over HTTP it prints its URL.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, createRequestStateCodec, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { addLibrary } from "./modern-library.mjs";
import { tools } from "./modern-tools.mjs";

const [transport, journal, port = 0] = process.argv.slice(2);
const toolsOnAPage = 4;
const note = (line) => appendFileSync(journal, `${JSON.stringify(line)}\n`);
// The same for each process, so that a state outlives the one that has given it.
const states = createRequestStateCodec({ key: "a key of the tests and of nothing else", ttlSeconds: 3600 });
const learned = new Set();
/** Streams of those who listen. */
const listeners = new Set();
/** Tells who listens that there are other tools now. */
let announce = (_server) => {};
/** Tells who watches a resource that it has changed. */
let announceChange = (_server, _uri) => {};

function makeServer() {
  const server = new McpServer(
    { name: "modern", version: "1.0.0" },
    {
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      instructions: "Say please to the modern server.",
      requestState: { verify: states.verify },
    },
  );
  const world = {
    note,
    states,
    learn: (tool) => {
      learned.add(tool);
      announce(server);
    },
    rewritten: (uri) => announceChange(server, uri),
    /** As a proxy does that is tired of a stream. */
    hangUp: () => {
      for (const stream of listeners) stream.destroy();
    },
  };
  const offered = () => Object.entries(tools).filter(([name, { hidden }]) => !hidden || learned.has(name));
  /** @type {[string, any][]} */
  const entries = Object.entries(tools);
  for (const [name, { run, hidden: _, ...about }] of entries)
    server.registerTool(name, about, (args, context) => {
      note({ event: "call", name, trace: context.mcpReq._meta?.traceparent });
      return run(args, context, world);
    });
  // The package lists them all at once; a long list comes in pages.
  server.server.setRequestHandler("tools/list", ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const page = offered().slice(from, from + toolsOnAPage);
    return {
      tools: page.map(([name, { run: _, hidden: __, inputSchema, outputSchema, ...about }]) => ({
        name,
        ...about,
        inputSchema: z.toJSONSchema(inputSchema),
        ...(outputSchema && { outputSchema: z.toJSONSchema(outputSchema) }),
      })),
      ...(from + toolsOnAPage < offered().length && { nextCursor: String(from + toolsOnAPage) }),
    };
  });
  addLibrary(server);
  return server;
}

if (transport === "stdio") {
  announce = (server) => server.sendToolListChanged();
  announceChange = (server, uri) => server.server.sendResourceUpdated({ uri });
  serveStdio(makeServer, { legacy: "reject" });
} else {
  const handler = createMcpHandler(makeServer, { legacy: "reject" });
  announce = () => handler.notify.toolsChanged();
  announceChange = (_server, uri) => handler.notify.resourceUpdated(uri);
  const http = createServer((incoming, outgoing) => void serve(handler, incoming, outgoing));
  http.listen(Number(port), "127.0.0.1", () =>
    console.log(
      `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (http.address()).port}/mcp`,
    ),
  );
}

async function serve(handler, incoming, outgoing) {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const { method, headers, url } = incoming;
  const body =
    method === "POST" ? { body: /** @type {any} */ (Readable.toWeb(incoming)), duplex: "half" } : {};
  if (headers["mcp-method"] === "subscriptions/listen") {
    listeners.add(outgoing);
    outgoing.on("close", () => listeners.delete(outgoing));
  }
  const request = new Request(new URL(url, "http://127.0.0.1"), {
    method,
    headers,
    signal: gone.signal,
    ...body,
  });
  const response = await handler.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body)
    Readable.fromWeb(response.body)
      .on("error", () => {})
      .pipe(outgoing);
  else outgoing.end();
}
