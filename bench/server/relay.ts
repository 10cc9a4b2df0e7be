import { Agent, request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent } from "@/bench/support/child";

const [, , modelUrl = ""] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });
const asJson = { "content-type": "application/json" };

/**
 * The least that a Node process between a model and a reader does: `node:http` to both sides, and a pipe between them. Nothing
 * is parsed, checked, kept or numbered. With `fetch` towards the model it costs over half as much again.
 */
const server = createServer((request, response) => {
  const asked = ask(`${modelUrl}/chat/completions`, { method: "POST", agent, headers: asJson }, (answer) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    answer.pipe(response);
  });
  asked.once("error", (cause) => response.destroy(cause));
  request.pipe(asked);
});

server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () =>
  serveParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pid: process.pid }),
);
