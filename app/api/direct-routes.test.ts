import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { answerHeaders } from "@/lib/server/http/answer-headers";
import nextConfig from "@/next.config";
import { withDirectRoutes } from "@/scripts/direct-routes.mjs";
import { withEventStreams } from "@/scripts/event-streams.mjs";
import { POST } from "./chat/route";
import { withApplication } from "./testing/call-api";

withApplication({});

const host = "127.0.0.1:3999";

/** The server before Next.js, with a stand-in for that. */
async function serve() {
  const handler = (asked: Request) => POST(asked, { params: Promise.resolve({}) });
  const runtime = () => ({ routes: new Map([["POST /api/chat", handler]]), headers: answerHeaders });
  const next = (_: IncomingMessage, response: ServerResponse) => response.writeHead(418).end("Next.js");
  const handle = withEventStreams(withDirectRoutes(next, runtime));
  const server = createServer((asked, response) => void handle(asked, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

const token = "Bearer token-for-tests-only";
const question = JSON.stringify({ message: { text: "Say something." } });

/** `fetch` lets nobody choose the host. */
async function send(
  port: number,
  body: string,
  { path = "/api/chat", method = "POST", ...more }: Record<string, string> = {},
) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { host, authorization: token, "content-type": "application/json", ...more };
  request({ port, host: "127.0.0.1", path, method, headers }, resolve).once("error", reject).end(body);
  const response = await promise;
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

test("a question is answered without Next.js, with the headers of every answer and the events of the run", async () => {
  const { port } = await serve();
  const answer = await send(port, question, { "x-meguri-stream": "forged" });
  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(/^:\n\nevent: run\n.*event: end\ndata: \{"status":"completed"\}\n\n$/s);
  expect(answer.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "transfer-encoding": "chunked",
    "x-run-id": expect.any(String),
    ...Object.fromEntries(answerHeaders.map(({ key, value }) => [key.toLowerCase(), value])),
  });
  expect(answer.headers).not.toHaveProperty("x-meguri-stream");
});

test("Next.js adds the same headers to the answers that it gives", async () => {
  const [first] = (await nextConfig.headers?.()) ?? [];
  expect(first).toEqual({ source: "/:path*", headers: answerHeaders });
});

test("every other method and address goes to Next.js", async () => {
  const { port } = await serve();
  for (const other of [{ method: "GET" }, { path: "/api/chat/" }, { path: "/api/chat?a=1" }, { path: "/" }])
    expect((await send(port, "", other)).status).toBe(418);
});

test("what is refused is refused in the words of the route", async () => {
  const { port } = await serve();
  const refused = async (body: string, more?: Record<string, string>) => {
    const { status, text: said } = await send(port, body, more);
    return [status, JSON.parse(said).error.code];
  };
  expect(await refused("{}")).toEqual([400, "invalid_input"]);
  expect(await refused("{")).toEqual([400, "invalid_json"]);
  expect(await refused(question, { "content-type": "text/plain" })).toEqual([415, "unsupported_media_type"]);
  expect(await refused(question, { authorization: "Bearer wrong" })).toEqual([401, "unauthorized"]);
  expect(await refused(question, { host: "evil.example" })).toEqual([403, "forbidden_host"]);
  expect(await refused(JSON.stringify({ message: { text: "x".repeat(1_100_000) } }))).toEqual([
    413,
    "body_too_large",
  ]);
});

test("a client that goes before it has asked to the end starts nothing and harms nobody", async () => {
  const { server, port } = await serve();
  const { runs } = await getDeps();
  const socket = connect(port, "127.0.0.1");
  const lines = ["POST /api/chat HTTP/1.1", `Host: ${host}`, `Authorization: ${token}`];
  socket.write(
    [...lines, "Content-Type: application/json", "Content-Length: 900", "", '{"mess'].join("\r\n"),
  );
  const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  socket.destroy();
  await once(response, "close");
  expect((await send(port, question)).status).toBe(200);
  expect(runs.count).toBe(0);
});
