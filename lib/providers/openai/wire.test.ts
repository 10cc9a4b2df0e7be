import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { singly } from "@/lib/agent/chunks-in";
import {
  delta,
  ending,
  event,
  type PlainServer,
  startPlainServer,
} from "@/lib/providers/testing/plain-server";
import { collect, kinds, textOf, turn, user } from "@/lib/providers/testing/turn";

let server: PlainServer | undefined;
afterEach(() => server?.close());

async function ask(answer: Parameters<typeof startPlainServer>[0]) {
  server = await startPlainServer(answer);
  return collect(server.provider, turn([user("Hi")]));
}

const hello = delta({ content: "こんにちは。" }) + ending("stop");

test.each<[encoding: string, pack: (text: string) => Buffer]>([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
])("an answer that nobody asked to be packed is unpacked: %s", async (encoding, pack) => {
  const { chunks, error } = await ask({ headers: { "content-encoding": encoding }, body: pack(hello) });
  expect(error).toBeUndefined();
  expect(textOf(chunks)).toBe("こんにちは。");
  expect(kinds(chunks)).toBe("text usage");
});

test("the error in a packed answer is read, too", async () => {
  const body = gzipSync(JSON.stringify({ error: { message: "Slow down" } }));
  const { error } = await ask({ status: 429, headers: { "content-encoding": "gzip" }, body });
  expect(error).toMatchObject({ code: "rate_limited", message: expect.stringContaining("Slow down") });
});

test("a packed answer that cannot be unpacked is said to be none", async () => {
  const { error } = await ask({ headers: { "content-encoding": "gzip" }, body: "no gzip at all" });
  expect(error).toMatchObject({ name: "ProviderError", code: "bad_response" });
});

const codes: Record<number, string> = {
  400: "bad_response",
  401: "auth",
  403: "auth",
  404: "bad_response",
  408: "timeout",
  413: "bad_response",
  422: "bad_response",
  429: "rate_limited",
  500: "unavailable",
  502: "unavailable",
  503: "unavailable",
  504: "timeout",
  529: "unavailable",
};
const bodies: [form: string, body: string, says: string][] = [
  [
    "an error of OpenAI",
    JSON.stringify({ error: { message: "So it is.", type: "x" } }),
    "It said: So it is.",
  ],
  ["an error in a list", JSON.stringify([{ error: { message: "So it is." } }]), "It said: So it is."],
  ["an error as text", JSON.stringify({ error: "So it is." }), "It said: So it is."],
  ["a detail", JSON.stringify({ detail: "So it is." }), "It said: So it is."],
  ["a web page", "<html><body>Sorry</body></html>", ""],
  ["nothing", "", ""],
];

test.each(Object.entries(codes))("HTTP %s is %s, whatever form the error has", async (status, code) => {
  for (const [_form, body, says] of bodies) {
    const { chunks, error } = await ask({ status: Number(status), headers: { "retry-after": "7" }, body });
    expect(chunks).toEqual([]);
    expect(error).toMatchObject({ name: "ProviderError", code, message: expect.stringContaining(says) });
    expect(String(error)).not.toContain("<html>");
    const waits = code === "rate_limited" || code === "unavailable";
    expect(error).toHaveProperty("retryAfterMs", ...(waits ? [7_000] : [undefined]));
    await server?.close();
  }
});

test("a redirect is not followed, since the key would go with it, and is named", async () => {
  const { error } = await ask({ status: 308, headers: { location: "https://elsewhere.test/v1" }, body: "" });
  expect(error).toMatchObject({
    code: "bad_response",
    message: expect.stringContaining("a redirect to https://elsewhere.test/v1"),
  });
});

test.each<[what: string, body: string]>([
  ["a line", `data: ${"x".repeat(10_100_000)}`],
  ["an event", `data: ${"x".repeat(1_000_000)}\n`.repeat(11)],
  ["an answer at once", `{"choices":"${"x".repeat(10_100_000)}`],
])("%s without end is not kept", async (_what, body) => {
  const { error } = await ask((response) => {
    response.writeHead(200).write(body);
  });
  expect(error).toMatchObject({ name: "ProviderError", code: "bad_response" });
  await server?.gone;
});

test("after Stop nothing comes of what has been read already", async () => {
  server = await startPlainServer({ body: delta({ content: "x" }).repeat(100) + ending("stop") });
  const stop = new AbortController();
  const asked = turn([user("Hi")], { signal: stop.signal });
  const { chunks, error } = await collect(server.provider, asked, () => stop.abort(new Error("stopped")));
  expect(textOf(chunks)).toBe("x");
  expect(String(error)).toBe("Error: stopped");
});

test("of the page of an error only the beginning is read", async () => {
  const { error } = await ask((response) => {
    response.writeHead(500);
    response.write("x".repeat(200_000));
  });
  expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("(500)") });
  await server?.gone;
});

test("an answer is over when it says so, also where the server does not close it", async () => {
  const { chunks, error } = await ask((response) => {
    response.writeHead(200);
    response.write(hello);
  });
  expect(error).toBeUndefined();
  expect(kinds(chunks)).toBe("text usage");
  await server?.gone;
});

test("an error whose body breaks off keeps its status", async () => {
  const { error } = await ask((response) => {
    response.writeHead(503, { "content-length": "100" });
    response.write('{"error":', () => response.destroy());
  });
  expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("(503)") });
});

test("a slow reader holds the server up, and misses nothing", async () => {
  const piece = delta({ content: "x".repeat(10_000) });
  const count = 3_000;
  let sent = 0;
  server = await startPlainServer(async (response) => {
    response.writeHead(200);
    for (; sent < count && !response.destroyed; sent++)
      if (!response.write(piece)) await new Promise((drained) => response.once("drain", () => drained(null)));
    response.end(ending("stop"));
  });
  let read = 0;
  for await (const chunk of singly(server.provider.stream(turn([user("Hi")])))) {
    if (chunk.type !== "text") continue;
    if (read++ === 0) await expect.poll(async () => settles(() => sent), { timeout: 10_000 }).toBe(true);
    if (read === 1) expect(sent).toBeLessThan(count);
    expect(chunk.content).toHaveLength(10_000);
  }
  expect(read).toBe(count);
});

/** Whether a number has stopped to grow. */
async function settles(number: () => number): Promise<boolean> {
  const before = number();
  await new Promise((resolve) => setTimeout(resolve, 200));
  return number() === before;
}

test("connections are used again", async () => {
  const ports = new Set<number | undefined>();
  server = await startPlainServer((response) => {
    ports.add(response.socket?.remotePort);
    response.writeHead(200).end(hello);
  });
  for (let turns = 0; turns < 8; turns++) await collect(server.provider, turn([user("Hi")]));
  // A turn is over a moment before its body is, so that the next one may take a second connection.
  expect(ports.size).toBeLessThanOrEqual(2);
});

test("nothing is sent before the first piece is asked for", async () => {
  let requests = 0;
  server = await startPlainServer((response) => {
    requests++;
    response.writeHead(200).end(hello);
  });
  const chunks = server.provider.stream(turn([user("Hi")]))[Symbol.asyncIterator]();
  await chunks.return?.();
  expect(requests).toBe(0);
});

test("an event that names no reason is not the end", async () => {
  const { chunks } = await ask({ body: event({ choices: [{ finish_reason: null }] }) + hello });
  expect(kinds(chunks)).toBe("text usage");
});
