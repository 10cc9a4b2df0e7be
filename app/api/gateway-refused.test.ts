import { request } from "node:http";
import { expect, test } from "vitest";
import { ask, connect, newToken, origin, withGateway } from "./testing/mcp-client";

const plain = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
withGateway({ plain }, { TOOL_APPROVAL: "allow" });

const both = "application/json, text/event-stream";
const initialize = {
  ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
  params: {
    ...{ protocolVersion: "2025-11-25", capabilities: {} },
    clientInfo: { name: "raw", version: "1" },
  },
};
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

const send = (body: unknown, headers: Record<string, string> = {}, method = "POST") =>
  fetch(`${origin}/mcp`, {
    method,
    headers: { accept: both, "content-type": "application/json", ...headers },
    ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });

async function begin(token: string, version = "2025-11-25") {
  const params = { ...initialize.params, protocolVersion: version };
  const answer = await send({ ...initialize, params }, { authorization: `Bearer ${token}` });
  expect(answer.status).toBe(200);
  return { authorization: `Bearer ${token}`, "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" };
}

/** Status, code and words of a refusal. */
async function refusal(answer: Response | Promise<Response>) {
  const response = await answer;
  const { error } = await response.json();
  return [response.status, error.code, error.message];
}

test("without a token, or with one that is none, it is 401, and the answer says which kind is asked for", async () => {
  const headers: Record<string, string>[] = [
    {},
    { authorization: "Bearer mgr_wrong" },
    { authorization: "Bearer not-the-launch-token" },
    { authorization: "Basic abc" },
    { cookie: "meguri_3999=anything" },
  ];
  for (const more of headers)
    for (const method of ["POST", "GET", "DELETE"]) {
      const answer = await send(initialize, more, method);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer realm="Meguri".*, scope="mcp"$/);
      expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) } });
    }
});

test("a token without the scope mcp is 403, whatever else it may", async () => {
  for (const scopes of [["read"], ["chat", "admin"]] as const) {
    const { value } = await newToken({ scopes: [...scopes] });
    const answer = await send(initialize, { authorization: `Bearer ${value}` });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="mcp"');
  }
  const { value } = await newToken();
  expect((await ask("GET", "/api/conversations", undefined, value)).status).toBe(403);
});

test("what another site's page sends is 403, even with the right token", async () => {
  const { value } = await newToken();
  for (const method of ["POST", "GET", "DELETE"])
    for (const foreign of ["https://evil.example", "null"])
      expect(
        await refusal(send(initialize, { authorization: `Bearer ${value}`, origin: foreign }, method)),
      ).toEqual([...[403, -32_000, expect.stringContaining("Another site's page")]]);
  expect((await send(initialize, { authorization: `Bearer ${value}`, origin })).status).toBe(200);
});

test("a request under another name is 403", async () => {
  const { value } = await newToken();
  const { hostname, port } = new URL(origin);
  const status = await new Promise((resolve) => {
    const headers = { host: "rebound.example", authorization: `Bearer ${value}`, accept: both };
    request({ hostname, port, path: "/mcp", method: "POST", headers }, (answer) =>
      resolve(answer.statusCode),
    ).end();
  });
  expect(status).toBe(403);
});

test("the session of another token, one that was never there and one that has ended are 404, and none is 400", async () => {
  const [mine, theirs] = [await newToken(), await newToken()];
  const headers = await begin(mine.value);
  expect((await send(list, headers)).status).toBe(200);
  const stolen = { ...headers, authorization: `Bearer ${theirs.value}` };
  const none = [404, -32_001, expect.stringContaining("begin a new one")];
  for (const method of ["POST", "GET", "DELETE"]) {
    expect(await refusal(send(list, stolen, method))).toEqual(none);
    expect(await refusal(send(list, { ...headers, "mcp-session-id": "made-up" }, method))).toEqual(none);
    const { authorization } = headers;
    expect(await refusal(send(list, { authorization }, method))).toEqual([
      ...[400, -32_600, expect.stringContaining("Mcp-Session-Id")],
    ]);
  }
  expect((await send(list, headers)).status).toBe(200);
  expect((await send(undefined, headers, "DELETE")).status).toBe(204);
  expect(await refusal(send(list, headers))).toEqual(none);
});

test("several messages at once are refused where the revision has none, and answered where it has", async () => {
  const { value } = await newToken({ servers: ["plain"] });
  const call = { ...list, id: 2, method: "tools/call", params: { name: "plain__echo", arguments: { a: 1 } } };
  const headers = await begin(value);
  expect(await refusal(send([list, call], headers))).toEqual([
    ...[400, -32_600, expect.stringContaining("one message at a time")],
  ]);
  const before = await begin(value, "2025-03-26");
  const answer = await send([list, call], before);
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  const text = await answer.text();
  expect(text).toContain('"tools":[');
  expect(text).toContain("echo {");
  expect((await send([initialize, list], { authorization: headers.authorization })).status).toBe(400);
});

test("bad messages get an error of JSON-RPC with a sentence, and nothing of them runs", async () => {
  const { value } = await newToken({ servers: ["plain"] });
  const headers = await begin(value);
  const depth = `${'{"a":'.repeat(300)}1${"}".repeat(300)}`;
  for (const [body, status] of [
    ["{", 400],
    ["", 400],
    ["[]", 400],
    ["42", 400],
    ["null", 400],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400],
    ['{"id":1,"method":"tools/list"}', 400],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${depth}}`, 400],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${"x".repeat(6_000_000)}"}}`, 413],
  ] as const) {
    const answer = await send(body, headers);
    expect(answer.status, body.slice(0, 60)).toBe(status);
    expect(await answer.json()).toMatchObject({
      error: { code: expect.any(Number), message: expect.any(String) },
    });
  }
  expect((await send(list, { ...headers, "content-type": "text/plain" })).status).toBe(415);
  expect((await send(list, { ...headers, accept: "application/json" })).status).toBe(406);
  expect(await refusal(send(list, { ...headers, "mcp-protocol-version": "2031-01-01" }))).toEqual([
    ...[400, -32_000, expect.stringContaining("Unsupported protocol version")],
  ]);
  const unknown = await (await send({ ...list, method: "tools/sell" }, headers)).json();
  expect(unknown).toMatchObject({ id: 1, error: { code: -32_601 } });
  const nameless = await (await send({ ...list, method: "tools/call", params: {} }, headers)).text();
  expect(nameless).toContain("-3260");
  const large = { name: "plain__echo", arguments: { text: "x".repeat(1_100_000) } };
  expect(await (await send({ ...list, method: "tools/call", params: large }, headers)).text()).toContain(
    "-32602",
  );
});

test("a body of 100 MB is refused while it is sent, and the next request is answered", async () => {
  const { value } = await newToken();
  const headers = await begin(value);
  let left = 100;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
      else controller.close();
    },
  });
  const answer = await fetch(`${origin}/mcp`, {
    ...{ method: "POST", body, duplex: "half" },
    headers: { accept: both, "content-type": "application/json", ...headers },
  } as RequestInit);
  expect(answer.status).toBe(413);
  expect((await send(list, headers)).status).toBe(200);
});

test("a token that is deleted ends what it has opened, and nothing more is done with it", async () => {
  const { value, id } = await newToken({ servers: ["plain"] });
  const { client, transport } = await connect(value);
  const closed = Promise.withResolvers<void>();
  const stream = await send(undefined, await begin(value), "GET");
  void stream.text().then(() => closed.resolve());
  const call = client.callTool({ name: "plain__wait", arguments: { ms: 20_000 } });
  const ended = expect(call).rejects.toThrow();
  await expect
    .poll(async () => (await (await ask("GET", "/api/runs?kind=gateway&status=running")).json()).items.length)
    .toBe(1);
  expect((await ask("DELETE", `/api/tokens/${id}`)).status).toBe(200);
  await closed.promise;
  await expect
    .poll(async () => (await (await ask("GET", "/api/runs?kind=gateway&status=running")).json()).items.length)
    .toBe(0);
  await transport.close();
  await ended;
  await expect(connect(value)).rejects.toThrow();
});
