import type { RequestListener } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type HttpServer, listen } from "@/lib/mcp/testing/http-server";
import { TestLoginMemory } from "@/lib/mcp/testing/login-memory";
import { faulty, fixture, openPool, type TestPool, textOf } from "@/lib/mcp/testing/test-pool";
import { listenWithTls } from "@/lib/mcp/testing/tls-server";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const start = async (...args: Parameters<typeof openPool>): Promise<TestPool> => {
  const pool = await openPool(...args);
  closing.push(pool.close);
  return pool;
};
const serve = async (...args: Parameters<typeof listen>): Promise<HttpServer> => {
  const server = await listen(...args);
  closing.push(server.close);
  return server;
};

/** Answers every request in the same way. */
const always =
  (type: string, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": type }).end(body);

/** Speaks MCP up to its answer to `initialize`. */
const future: RequestListener = async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  let body = "";
  for await (const part of request) body += String(part);
  const { id, method } = JSON.parse(body) as { id: number; method: string };
  const result = {
    protocolVersion: "2099-01-01",
    capabilities: {},
    serverInfo: { name: "future", version: "1.0.0" },
  };
  const error = { code: -32601, message: "Method not found" };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(method === "initialize" ? { result } : { error }) }));
};

/** Sends its banner, as SSH servers do, and hangs up. */
async function listenForSsh(): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end("SSH-2.0-OpenSSH_9.7\r\n");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("what is wrong with an address is told with the next step, and nothing else is disturbed", async () => {
  const [page, json, half, oops, later] = await Promise.all([
    serve(always("text/html", "<!doctype html><title>Welcome</title>")),
    serve(always("application/json", '{"data":null}')),
    serve(always("application/json", '{"jsonrpc":"2.0"')),
    serve((_request, response) => response.writeHead(500).end()),
    serve(future),
  ]);
  const ssh = await listenForSsh();
  const tls = await listenWithTls();
  closing.push(tls.close);
  const closed = await listen(() => {});
  await closed.close();
  const lookup = () =>
    Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }));
  const { pool, settled, ready, run } = await start(
    {
      plain: fixture("plain"),
      ...{ page: { url: page.url }, json: { url: json.url }, half: { url: half.url } },
      ...{ oops: { url: oops.url }, later: { url: later.url }, closed: { url: closed.url } },
      nobody: { url: "https://no-such-name.invalid/mcp" },
      ssh: { url: `http://127.0.0.1:${ssh}/mcp` },
      sshTls: { url: `https://127.0.0.1:${ssh}/mcp` },
      untrusted: { url: `https://127.0.0.1:${tls.port}/mcp` },
      noTls: { url: `http://127.0.0.1:${tls.port}/mcp` },
    },
    { tuning: { guard: { lookup } } },
  );
  const { pid } = await ready("plain");
  const said = async (name: string) => {
    const { status, tools, lastError } = await settled(name);
    expect({ status, tools }, name).toEqual({ status: "failed", tools: [] });
    return [lastError?.code, lastError?.message.replace(/127\.0\.0\.1:\d+/, "<host>")];
  };
  expect(await said("page")).toEqual([
    "protocol",
    '<host> answers with a page or a file, not as an MCP server does (Unexpected content type: text/html). Check the path of "url"; it often ends in /mcp.',
  ]);
  const rubbish = ["protocol", '<host> did not answer as an MCP server does. Check the path of "url".'];
  expect(await said("json")).toEqual(rubbish);
  expect(await said("half")).toEqual(rubbish);
  expect(await said("oops")).toEqual([
    "http_error",
    "<host> answered with HTTP 500. Look at the server's own log, then restart it here.",
  ]);
  expect(await said("later")).toEqual([
    "protocol_version",
    "<host> speaks revision 2099-01-01 of the protocol, which Meguri does not know. Update the older one of the two.",
  ]);
  expect(await said("closed")).toEqual([
    "connection_refused",
    'Nothing answers at <host> (connection refused). Start the server, or correct "url".',
  ]);
  expect(await said("nobody")).toEqual([
    "unreachable",
    'The name no-such-name.invalid was not found. Check "url" and the network.',
  ]);
  expect(await said("ssh")).toEqual([
    "unreachable",
    'What listens at <host> does not speak HTTP. Check port and scheme of "url" (http: or https:).',
  ]);
  expect((await said("sshTls"))[1]).toContain("does not speak TLS as https: needs it. Write http:");
  expect(await said("untrusted")).toEqual([
    "certificate",
    "This machine does not trust the certificate of <host> (DEPTH_ZERO_SELF_SIGNED_CERT). If the server is your own, start Meguri with NODE_EXTRA_CA_CERTS set to the file of its authority.",
  ]);
  expect((await said("noTls"))[1]).toContain("hung up before it answered. Check port and scheme");
  expect(pool.server("plain")).toMatchObject({ status: "ready", pid });
  expect(textOf((await run("plain__echo")).result)).toBe("echo {}");
});

test("a program that is no MCP server, or one of another time, says what to check", async () => {
  const { pool, settled, ready } = await start(
    {
      plain: fixture("plain"),
      future: faulty("version", "2099-01-01"),
      past: faulty("version", "1999-01-01"),
      unknown: faulty("future"),
      stranger: faulty("stranger"),
      mirror: faulty("mirror"),
    },
    // Nothing lasts that long but the start of a program on a machine that is busy with other things.
    { tuning: { timeoutMs: 25_000 } },
  );
  const { pid } = await ready("plain");
  const faultOf = async (name: string) => (await settled(name)).lastError;
  for (const [name, version] of [
    ["future", "2099-01-01"],
    ["past", "1999-01-01"],
  ] as const)
    expect(await faultOf(name)).toEqual({
      code: "protocol_version",
      message: `The server speaks revision ${version} of the protocol, which Meguri does not know. Update the older one of the two.`,
    });
  for (const name of ["unknown", "stranger", "mirror"])
    expect((await faultOf(name))?.message, name).toContain(
      'it is not an MCP server, or its protocol version is too new or too old. Check "command" and "args".',
    );
  expect(pool.server("plain")).toMatchObject({ status: "ready", pid });
});

test("a program that sends no line that is a message is given up when its time is up", async () => {
  const { pool, settled } = await start(
    { framed: faulty("framed"), prompt: faulty("prompt") },
    { tuning: { timeoutMs: 4_000 } },
  );
  for (const name of ["framed", "prompt"])
    expect((await settled(name)).lastError, name).toMatchObject({
      code: "timeout",
      message: expect.stringContaining('Check that "command" is an MCP server on standard input and output'),
    });
  expect(pool.logs("framed").some(({ text }) => text.includes("passed over: Content-Length: 58"))).toBe(true);
});

test("a 401 that says nothing more leads to a sign-in that says why it cannot be", async () => {
  const server = await serve((_request, response) => response.writeHead(401).end());
  const redirectUrl = "http://127.0.0.1:3000/api/mcp/oauth/callback";
  const { settled, pool } = await start(
    { locked: { url: server.url } },
    {
      logins: { redirectUrls: [redirectUrl], memory: new TestLoginMemory() },
    },
  );
  expect(await settled("locked")).toMatchObject({
    status: "needs_login",
    lastError: { code: "login_required", message: "The server asks for a sign-in." },
  });
  await expect(pool.signIns.begin("locked", redirectUrl)).rejects.toThrow(
    /^127\.0\.0\.1:\d+ wants a token but offers no way to sign in that works by itself\. Add the header Authorization/,
  );
});
