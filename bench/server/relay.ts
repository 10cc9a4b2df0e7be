import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { serveParent } from "@/bench/support/child";

const [, , modelUrl = ""] = process.argv;

/**
 * The least that a Node process between a model and a reader does: it asks with `fetch` and writes on what it reads. Nothing
 * is parsed, checked, kept or numbered.
 */
const server = createServer(async (request, response) => {
  const { body } = await fetch(`${modelUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: await text(request),
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (body) for await (const part of body) response.write(part);
  response.end();
});

server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () =>
  serveParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pid: process.pid }),
);
