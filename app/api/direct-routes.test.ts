import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { directRoutes, type RouteModules } from "@/lib/server/entry/direct-routes";
import { headersOf, sharedHeaders } from "@/lib/server/http/answer-headers";
import { host } from "@/lib/server/testing/database-env";
import nextConfig from "@/next.config";
import { modules, withApplication } from "./testing/call-api";
import { serveRoutes } from "./testing/serve-routes";

withApplication({});

async function serve(routes?: RouteModules) {
  const served = await serveRoutes(routes);
  onTestFinished(served.close);
  return served;
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
  const bytes = await buffer(response);
  return { status: response.statusCode, headers: response.headers, bytes, text: bytes.toString() };
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
    ...Object.fromEntries(headersOf("/api/chat").map(({ key, value }) => [key.toLowerCase(), value])),
  });
  expect(answer.headers).not.toHaveProperty("x-meguri-stream");
});

test("Next.js adds the same headers to the answers that it gives", async () => {
  const everywhere = (await nextConfig.headers?.())?.filter(({ source }) => source === "/:path*") ?? [];
  expect(everywhere.flatMap(({ headers }) => headers)).toEqual(headersOf("/api/shares"));
  const shares = (await nextConfig.headers?.())?.find(({ source }) => source === "/api/share/:path*");
  expect(shares?.headers).toEqual(sharedHeaders);
  expect(headersOf("/api/share/t")).toEqual([...headersOf("/api/shares"), ...sharedHeaders]);
});

test("what a route does not answer, and what is spelled in another way, goes to Next.js", async () => {
  const { port } = await serve();
  for (const method of ["PUT", "HEAD", "OPTIONS", "PROPFIND"])
    expect((await send(port, "", { method })).status, method).toBe(418);
  const others = [
    "/",
    "/?tokens=1",
    "/c/new",
    "/api",
    "/api/",
    "/api/chat/",
    "/api//chat",
    "/api/runs//stop",
    "/api/runs/comp%61re",
    "/API/chat",
    "/api/ch%61t",
  ];
  const paths = [
    ...others,
    "/api/x/../chat",
    "/api/runs/%2e%2e/chat",
    "/api/nothing",
    "/api/toString",
    "/api/chat\\",
  ];
  for (const path of paths) expect((await send(port, "", { path })).status, path).toBe(418);
});

/** What the route of a file is asked: its address with its query, and what stands in the names of its path. */
async function asked(files: readonly string[], method: string, url: string) {
  const GET = async (request: Request, { params }: { params: Promise<unknown> }) =>
    Response.json({ url: request.url, params: await params });
  const found = directRoutes(
    Object.fromEntries(files.map((file) => [`./app/api/${file}/route.ts`, async () => ({ GET, file })])),
  )(method, url);
  return (await (await found)?.answer(new Request(`http://${host}${url}`)))?.json();
}

test("what stands in an address is decoded for the route, and a name goes before a parameter", async () => {
  const files = ["runs/[id]", "runs/compare", "runs/[id]/files/[file]"];
  const url = "/api/runs/a%2Fb%20%E3%81%82/files/..%2F%3A?q=%20x&q=2";
  expect(await asked(files, "GET", url)).toEqual({
    url: `http://${host}${url}`,
    params: { id: "a/b あ", file: "../:" },
  });
  expect(await asked(files, "GET", "/api/runs/compare")).toMatchObject({ params: {} });
  expect(await asked(files, "GET", "/api/runs/compared")).toMatchObject({ params: { id: "compared" } });
  expect(await asked(files, "GET", "/api/runs/compare/files/1")).toMatchObject({
    params: { id: "compare", file: "1" },
  });
  expect(await asked(["session"], "GET", "/?token=t")).toMatchObject({ params: {} });
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

test("who sends too much in pieces is told so, also while it sends, and can go on over the same connection", async () => {
  const { port } = await serve();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const headers = { host, authorization: token, "content-type": "application/json" };
  const upload = request({ agent, port, host: "127.0.0.1", path: "/api/chat", method: "POST", headers });
  const [answer] = await Promise.all([
    once(upload, "response"),
    pipeline(
      Array.from({ length: 400 }, () => Buffer.alloc(64_000, "x")),
      upload,
    ),
  ]);
  const { localPort } = upload.socket ?? {};
  const [response] = answer as [IncomingMessage];
  expect([response.statusCode, JSON.parse(await text(response)).error.code]).toEqual([413, "body_too_large"]);
  const next = request({ agent, port, host: "127.0.0.1", path: "/api/health", headers }).end();
  const [second] = (await once(next, "response")) as [IncomingMessage];
  expect([second.statusCode, next.socket?.localPort]).toEqual([200, localPort]);
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

const routeOf = (GET: () => Response, name = "a"): RouteModules => ({
  [`/app/api/${name}/route.ts`]: async () => ({ GET }),
});

test("each cookie is set, and what holds for every answer of a share goes before what its route says", async () => {
  const answer = () =>
    new Response("shared", {
      status: 201,
      headers: [
        ["cache-control", "public"],
        ["x-own", "1"],
        ["set-cookie", "a=1; Path=/"],
        ["set-cookie", "b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT"],
      ],
    });
  const { port } = await serve(routeOf(answer, "share/[token]"));
  const got = await send(port, "", { path: "/api/share/t", method: "GET" });
  expect(got).toMatchObject({ status: 201, text: "shared" });
  expect(got.headers).toMatchObject({
    "cache-control": "private, no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
    "x-own": "1",
    "set-cookie": ["a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT"],
  });
});

test("a long answer is packed for who reads that, and a stream of events is not", async () => {
  const long = "Wind and waves. ".repeat(500);
  const get = async (type: string, accepted: string) => {
    const { port } = await serve(routeOf(() => new Response(long, { headers: { "content-type": type } })));
    return send(port, "", { path: "/api/a", method: "GET", "accept-encoding": accepted });
  };
  const packed = await get("application/json", "gzip");
  expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
  expect(gunzipSync(packed.bytes).toString()).toBe(long);
  for (const plain of [await get("text/event-stream", "gzip"), await get("application/json", "identity")]) {
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(plain.text).toBe(long);
  }
});

test("a long answer is made as fast as it is read, and no further once its reader is gone", async () => {
  let made = 0;
  const { promise: isCancelled, resolve: cancel } = Promise.withResolvers<void>();
  const body = () =>
    new ReadableStream({
      pull: (to) => to.enqueue(new Uint8Array(64_000).fill(++made)),
      cancel: () => cancel(),
    });
  const { port, failures } = await serve(routeOf(() => new Response(body())));
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /api/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(socket, "readable");
  // It makes no more once what lies between the two is full: 4 MB of buffers of the system, and ours.
  await expect.poll(async () => [made, await later(() => made)]).toSatisfy(([a, b]) => a === b && b < 400);
  socket.destroy();
  await isCancelled;
  expect(failures).toEqual([]);
});

test("a long answer that is packed is waited for as often as it takes, by one listener", async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on("warning", warn);
  onTestFinished(() => void process.off("warning", warn));
  const pieces = Array.from({ length: 40 }, () => randomBytes(64_000).toString("hex"));
  const body = () => {
    const left = pieces.map((piece) => Buffer.from(piece)).values();
    return new ReadableStream({
      pull(to) {
        const { done, value } = left.next();
        if (done) to.close();
        else to.enqueue(value);
      },
    });
  };
  const headers = { "content-type": "application/json" };
  const { port } = await serve(routeOf(() => new Response(body(), { headers })));
  const got = await send(port, "", { path: "/api/a", method: "GET", "accept-encoding": "gzip" });
  expect(got.headers).toMatchObject({ "content-encoding": "gzip" });
  expect(gunzipSync(got.bytes).toString() === pieces.join("")).toBe(true);
  await later(() => {});
  expect(warnings).toEqual([]);
});

const later = <Value>(read: () => Value | Promise<Value>) =>
  new Promise<Value>((resolve) => setTimeout(() => resolve(read()), 200));

test("a route hears of a client that goes before it has answered", async () => {
  const { promise: isAsked, resolve: noteAsked } = Promise.withResolvers<AbortSignal>();
  const answer = (request: Request) => {
    noteAsked(request.signal);
    return isAnswered;
  };
  const { promise: isAnswered, resolve: reply } = Promise.withResolvers<Response>();
  const { port, failures } = await serve({ "/app/api/a/route.ts": async () => ({ GET: answer }) });
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /api/a HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const signal = await isAsked;
  expect(signal.aborted).toBe(false);
  socket.destroy();
  await expect.poll(() => signal.aborted).toBe(true);
  let isCancelled = false;
  const body = new ReadableStream({
    cancel: () => {
      isCancelled = true;
    },
  });
  reply(new Response(body));
  await expect.poll(() => isCancelled).toBe(true);
  expect(failures).toEqual([]);
});

test("what an event stream will bring is announced before it does, and what comes at once comes with that", async () => {
  const { promise: isDue, resolve: tell } = Promise.withResolvers<void>();
  const body = () => new ReadableStream({ pull: (to) => isDue.then(() => to.close()) });
  const headers = { "content-type": "text/event-stream" };
  const { port } = await serve({
    ...routeOf(() => new Response(body(), { headers })),
    ...routeOf(() => new Response("data: 1\n\n", { headers }), "b"),
  });
  const slow = await fetch(`http://127.0.0.1:${port}/api/a`);
  expect(slow.status).toBe(200);
  tell();
  expect(await slow.text()).toBe("");
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /api/b HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1.1 200 .*data: 1.*\r\n0\r\n\r\n$/s);
});

test("a body that does not fit what its route says of it takes nothing of the next answer", async () => {
  const headers = { "content-length": "8", "content-encoding": "gzip" };
  const { port } = await serve({ ...modules, ...routeOf(() => new Response("half", { headers })) });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const get = async (path: string) => {
    const asked = request({ agent, port, host: "127.0.0.1", path, headers: { host } }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    return { headers: response.headers, text: await text(response), port: asked.socket?.localPort };
  };
  const first = await get("/api/a");
  expect(first).toMatchObject({ text: "half", headers: { "transfer-encoding": "chunked" } });
  expect(first.headers).not.toHaveProperty("content-encoding");
  const second = await get("/api/health");
  expect(JSON.parse(second.text)).toHaveProperty("status");
  expect(second.port).toBe(first.port);
});

test("what a database would leave out of an id is refused", async () => {
  const { port } = await serve();
  const got = await send(port, "", { path: "/api/conversations/a%00", method: "GET" });
  expect([got.status, JSON.parse(got.text).error.code]).toEqual([400, "invalid_input"]);
  for (const value of ["a\0", "a\ud800"])
    for (const body of [{ conversationId: value }, { clientMessageId: value }])
      expect((await send(port, JSON.stringify({ ...body, message: { text: "x" } }))).status).toBe(400);
});

test("a body that breaks in the middle ends its connection, and nothing else", async () => {
  const body = () =>
    new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode("half")),
      // When the first half is on its way.
      pull: () => later(() => Promise.reject(new Error("the disk has failed"))),
    });
  const { port, failures } = await serve({
    ...modules,
    ...routeOf(() => new Response(body(), { headers: { "content-length": "8" } })),
  });
  await expect(send(port, "", { path: "/api/a", method: "GET" })).rejects.toThrow("aborted");
  // For the log of the server.
  expect(failures).toEqual([new Error("the disk has failed")]);
  expect((await send(port, question)).status).toBe(200);
});
