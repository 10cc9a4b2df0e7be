import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";
import { waitingFor } from "@/lib/server/testing/run-kit";
import { withEventStreams } from "@/scripts/event-streams.mjs";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

/** The routes behind the server that stands before Next.js, which sends what they answer as Next.js does. */
async function serve() {
  const names: string[] = [];
  const handle = withEventStreams(async (request: IncomingMessage, response: ServerResponse) => {
    const { "x-meguri-stream": name, "content-type": type, "last-event-id": id } = request.headers;
    if (name) names.push(String(name));
    const body = request.method === "POST" ? await text(request) : undefined;
    const answer = await callApi(request.method ?? "", request.url ?? "", body, {
      ...(name && { "x-meguri-stream": String(name) }),
      ...(type && { "content-type": type }),
      ...(id && { "last-event-id": String(id) }),
    });
    response.statusCode = answer.status;
    for (const [header, value] of answer.headers) response.appendHeader(header, value);
    if (answer.body && request.method !== "HEAD")
      for await (const piece of answer.body) response.write(piece);
    response.end();
    if (name && answer.headers.has("x-meguri-stream")) response.end("Nobody reads what is written later.");
  });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { server, port, names, send };
}

type Served = Awaited<ReturnType<typeof serve>>;

const ask = ({ send }: Served, more: Record<string, string> = {}) =>
  send("/api/chat", {
    method: "POST",
    headers: { "content-type": "application/json", ...more },
    body: JSON.stringify({ message: { text: "Say something." } }),
  });

/** Raw lines to the server; resolves with all that came back when `ends` fits, or the connection has ended. */
function sendRaw({ port }: Served, lines: string[], ends: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
  socket.setEncoding("utf8").on("data", (data) => {
    answer += data;
    if (ends.test(answer)) socket.destroy();
  });
  socket.once("error", reject).once("close", () => resolve(answer));
  return promise;
}

test("what is written into the socket is byte for byte the body of the route's own answer", async () => {
  const served = await serve();
  const live = await ask(served);
  const runId = live.headers.get("x-run-id") ?? "";
  const events = await live.text();
  expect(events).toMatch(/^:\n\nevent: run\n.*event: end\ndata: \{"status":"completed"\}\n\n$/s);
  const path = `/api/runs/${runId}/stream`;
  for (const headers of [{}, { "last-event-id": "7" }, { "last-event-id": "9999" }] as const) {
    const written = await served.send(path, { headers });
    const alone = await callApi("GET", path, undefined, headers);
    expect(alone.body).not.toBeNull();
    expect(await written.text()).toBe(await alone.text());
    for (const [name, value] of alone.headers) expect(written.headers.get(name)).toBe(value);
  }
  expect(await (await served.send(path)).text()).toBe(events);
});

test("the name of a stream comes from nobody outside, goes to nobody, and is another one for each request", async () => {
  const served = await serve();
  const forged = { "x-meguri-stream": "forged" };
  const response = await ask(served, forged);
  expect([...response.headers.keys()]).not.toContain("x-meguri-stream");
  const runId = response.headers.get("x-run-id");
  const path = `/api/runs/${runId}/stream`;
  expect(await response.text()).toContain("event: end");
  expect(await (await served.send(path, { headers: forged })).text()).toContain("event: end");
  expect(new Set(served.names).size).toBe(2);
  expect(served.names).not.toContain("forged");
  // Named without the server, also by one that was good before: the answer has a body.
  for (const name of ["forged", ...served.names])
    expect(await (await callApi("GET", path, undefined, { "x-meguri-stream": name })).text()).toContain(
      "event: end",
    );
});

test("what is no stream is answered as it was, and HEAD has headers alone", async () => {
  const served = await serve();
  const missing = await served.send("/api/runs/none/stream");
  expect([missing.status, await missing.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
  const live = await ask(served);
  const runId = live.headers.get("x-run-id");
  await live.text();
  const head = [`HEAD /api/health HTTP/1.1`, "Host: x", "X-Meguri-Stream: forged", "Connection: close"];
  expect(await sendRaw(served, head, /never/)).toMatch(/^HTTP\/1.1 \d+/);
  expect(served.names).not.toContain("forged");
  const refused = await served.send(`/api/runs/${runId}/stream`, {
    headers: { "last-event-id": "no number" },
  });
  expect(refused.status).toBe(400);
});

test("an old client gets the events until the connection ends; on a connection that is kept the next answer follows", async () => {
  const served = await serve();
  const live = await ask(served);
  const path = `/api/runs/${live.headers.get("x-run-id")}/stream`;
  const events = await live.text();
  const old = await sendRaw(served, [`GET ${path} HTTP/1.0`], /never/);
  expect(old.slice(old.indexOf("\r\n\r\n") + 4)).toBe(events);
  const get = (after: number) => [`GET ${path}?after=${after} HTTP/1.1`, "Host: x", ""];
  const both = await sendRaw(
    served,
    [...get(0), ...get(5), "GET /api/none HTTP/1.1", "Host: x"],
    /HTTP\/1.1 404/,
  );
  const answers = both.split(/(?=HTTP\/1\.1 )/);
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(["200", "200", "404"]);
  for (const answer of answers.slice(0, 2)) expect(answer).toMatch(/event: end\n.*\n\n\r\n0\r\n\r\n$/);
  expect(answers[1]).not.toContain("\nid: 5\n");
});

test("a client that goes leaves the run alone, whenever it goes", async () => {
  const served = await serve();
  const runs: string[] = [];
  for (const after of [0, 1, 3]) {
    const abort = new AbortController();
    const live = await served.send("/api/chat", {
      method: "POST",
      signal: abort.signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: { text: "Say something." } }),
    });
    const reader = live.body?.getReader();
    for (let read = 0; read < after; read++) await reader?.read();
    abort.abort();
    runs.push(live.headers.get("x-run-id") ?? "");
  }
  for (const runId of runs)
    expect(await (await served.send(`/api/runs/${runId}/stream`)).text()).toContain('"status":"completed"');
});

test("a client that does not read for a while gets the rest when it reads again", async () => {
  const served = await serve();
  const long = { type: "text", content: "x".repeat(5_000_000) } as const;
  const row = await waitingFor(await getDeps(), long, { userId: localUser, model: "demo/demo" });
  const answer = await served.send(`/api/runs/${row.id}/stream`);
  await new Promise((resolve) => setImmediate(resolve));
  const events = await answer.text();
  expect(events.length).toBeGreaterThan(5_000_000);
  expect(events).toMatch(/event: end\n.*\n\n$/);
});
