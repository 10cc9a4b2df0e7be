import { connect, Server } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { freePort } from "@/lib/store/testing/free-port";
import { createGuardedServer, listen } from "./http-server.mjs";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

/** A guarded server on a free port; what passed the guard is recorded. */
async function start({ upgrades = false, sockets = 1 } = {}) {
  const passed: string[] = [];
  let port = 0;
  const server = createGuardedServer({
    isAllowedHost: (host: string) =>
      [`127.0.0.1:${port}`, `localhost:${port}`, "meguri.example"].includes(host),
    homeUrl: () => "http://127.0.0.1",
    onRequest: (
      request: { url: string; headers: Record<string, string> },
      response: { end(text: string): void },
    ) => {
      const isProbe = request.url.startsWith("/api/");
      passed.push(isProbe ? `${request.url} as ${request.headers.host}` : request.url);
      response.end(request.headers["x-forwarded-host"] ?? "none");
    },
    onUpgrade: upgrades
      ? (request: { url: string }, socket: { end(text: string): void }) => {
          passed.push(`upgrade ${request.url}`);
          socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
        }
      : undefined,
  });
  port = await listen(server, { host: "127.0.0.1", port: 0, sockets });
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port, passed, send: (lines: string[]) => send(port, lines) };
}

/** Sends raw lines, because an HTTP client would correct them; resolves with everything that came back. */
function send(port: number, lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    let answer = "";
    socket.setEncoding("utf8").on("data", (data: string) => {
      answer += data;
    });
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}

const status = (answer: string) => Number(answer.split(" ")[1]);

test("a request under each of our names passes, whatever its case", async () => {
  const { port, passed, send } = await start();
  for (const host of [`127.0.0.1:${port}`, `LocalHost:${port}`, "meguri.example"]) {
    expect(status(await send(["GET /a HTTP/1.1", `Host: ${host}`, "Connection: close"]))).toBe(200);
  }
  expect(passed).toEqual(["/a", "/a", "/a"]);
});

test.each([
  ["another site's name", ["GET /_next/static/x.js HTTP/1.1", "Host: evil.example"]],
  ["a name that begins with ours", ["GET / HTTP/1.1", "Host: localhost.evil.example"]],
  ["our name with another port", ["GET / HTTP/1.1", "Host: 127.0.0.1:1"]],
  ["our name without a port", ["GET / HTTP/1.1", "Host: 127.0.0.1"]],
  ["no Host at all, as HTTP/1.0 allows", ["GET / HTTP/1.0"]],
  ["an empty Host", ["GET / HTTP/1.1", "Host:"]],
  ["a second Host", ["GET / HTTP/1.1", "Host: meguri.example", "Host: evil.example"]],
  ["a foreign absolute target", ["GET http://evil.example/ HTTP/1.1", "Host: meguri.example"]],
  [
    "a WebSocket of another site",
    ["GET / HTTP/1.1", "Host: evil.example", "Connection: Upgrade", "Upgrade: websocket"],
  ],
])("%s is refused before the application sees it", async (_, lines) => {
  const { passed, send } = await start({ upgrades: true });
  const answer = await send(lines);
  expect(status(answer)).toBe(403);
  expect(passed).toEqual([]);
  if (!lines.includes("Upgrade: websocket")) {
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({
      error: { code: "forbidden_host", message: "Open http://127.0.0.1 instead; this address is not ours." },
    });
  }
});

test("a WebSocket under our own name passes where there is somebody for it, and is closed otherwise", async () => {
  const lines = ["GET /hmr HTTP/1.1", "Host: meguri.example", "Connection: Upgrade", "Upgrade: websocket"];
  const development = await start({ upgrades: true });
  expect(status(await development.send(lines))).toBe(101);
  expect(development.passed).toEqual(["upgrade /hmr"]);
  const production = await start();
  expect(status(await production.send(lines))).toBe(403);
});

test("a balancer's probe passes under any name, which the application does not get to see", async () => {
  const { passed, send } = await start();
  const ask = (line: string, host = "10.0.0.7:3000") => send([line, `Host: ${host}`, "Connection: close"]);
  expect(status(await ask("GET /api/ready HTTP/1.1"))).toBe(200);
  expect(status(await ask("GET /api/health HTTP/1.1", "evil example"))).toBe(200);
  expect(passed).toEqual(["/api/ready as host.invalid", "/api/health as host.invalid"]);
  for (const line of ["GET /api/ready/ HTTP/1.1", "GET /api/ready?a HTTP/1.1", "POST /api/ready HTTP/1.1"])
    expect(status(await ask(line)), line).toBe(403);
  expect(status(await ask("GET /api/ready HTTP/1.1", "meguri.example"))).toBe(200);
  expect(passed.at(-1)).toBe("/api/ready as meguri.example");
});

test("a forwarded name never reaches the application", async () => {
  const { send } = await start();
  const answer = await send([
    "GET / HTTP/1.1",
    "Host: meguri.example",
    "X-Forwarded-Host: evil.example",
    "Connection: close",
  ]);
  expect(answer).toMatch(/none/);
});

test("an answer that breaks ends its connection and nothing else", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  cleanups.push(() => logged.mockRestore());
  const server = createGuardedServer({
    isAllowedHost: () => true,
    homeUrl: () => "",
    onRequest: async ({ url }: { url: string }, response: { end(text: string): void }) => {
      if (url === "/broken") throw new Error("broken");
      response.end("fine");
    },
    onUpgrade: undefined,
  });
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const ask = (path: string) => send(port, [`GET ${path} HTTP/1.1`, "Host: a", "Connection: close"]);
  expect(await ask("/broken")).toBe("");
  expect(status(await ask("/"))).toBe(200);
  expect(logged).toHaveBeenCalledOnce();
});

test("a port in use rejects with Node's code", async () => {
  const { port } = await start();
  const second = createGuardedServer({
    isAllowedHost: () => true,
    homeUrl: () => "",
    onRequest: () => {},
    onUpgrade: undefined,
  });
  await expect(listen(second, { host: "127.0.0.1", port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

const onLinux = test.skipIf(process.platform !== "linux");

/** Turns of the event loop in which so many connections that are there at once are taken. */
async function turnsFor(count: number, sockets: number): Promise<number> {
  const { server, port } = await start({ sockets });
  const taken = new Set<number>();
  let turn = 0;
  let rest = count;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.on("connection", () => {
    taken.add(turn);
    if (--rest === 0) resolve();
  });
  const clients = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
  const next = () => {
    turn++;
    if (rest > 0) setImmediate(next);
  };
  next();
  await promise;
  for (const client of clients) client.destroy();
  return taken.size;
}

onLinux("of connections that come at once several are taken in a turn of the event loop", async () => {
  const count = 64;
  expect(await turnsFor(count, 1)).toBe(count);
  expect(await turnsFor(count, 16)).toBeLessThan(count / 2);
});

onLinux("a port of several sockets is nobody else's, answers alike on each and is closed whole", async () => {
  const { server, port, send: ask } = await start({ sockets: 4 });
  const other = createGuardedServer({ isAllowedHost: () => true, homeUrl: () => "", onRequest: () => {} });
  for (const sockets of [1, 4])
    await expect(listen(other, { host: "127.0.0.1", port, sockets })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  const answers = Array.from({ length: 32 }, () =>
    ask(["GET /x HTTP/1.1", `Host: 127.0.0.1:${port}`, "Connection: close"]),
  );
  expect((await Promise.all(answers)).map(status)).toEqual(Array(32).fill(200));
  server.close();
  for (let count = 0; count < 32; count++)
    await expect(ask(["GET /x HTTP/1.1", `Host: 127.0.0.1:${port}`])).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
});

onLinux(
  "who looks at a port in the moment in which another has found it free does not get it as well",
  async () => {
    const port = await freePort();
    const create = () =>
      createGuardedServer({ isAllowedHost: () => true, homeUrl: () => "", onRequest: () => {} });
    const take = (server: ReturnType<typeof create>) =>
      listen(server, { host: "127.0.0.1", port, sockets: 4 });
    const [first, second, third] = [create(), create(), create()];
    // The first one is held up right after its look, as a busy machine does, until the second has tried.
    const { close } = Server.prototype;
    let tried: Promise<unknown> = Promise.resolve();
    vi.spyOn(Server.prototype, "close").mockImplementationOnce(function (this: Server, done) {
      return close.call(this, (cause) => {
        tried = take(second);
        void tried.then(
          () => done?.(cause),
          () => done?.(cause),
        );
      });
    });
    await take(first);
    await expect(tried).rejects.toMatchObject({ code: "EADDRINUSE" });
    await new Promise((resolve) => first.close(resolve));
    await expect(take(third)).resolves.toBe(port);
    third.close();
  },
);
