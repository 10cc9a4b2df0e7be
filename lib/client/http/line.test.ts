import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { LineDeps } from "./line";

/** A server of lines, of which the newest is written to; `refuse` answers the next ones. */
async function startServer() {
  const lines: ServerResponse[] = [];
  const refusals: { status: number; retryAfter?: string }[] = [];
  const server = createServer((_, response) => {
    const refusal = refusals.shift();
    if (refusal) {
      const { status, retryAfter } = refusal;
      response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end("{}");
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n");
    lines.push(response);
    response.once("close", () => void lines.splice(lines.indexOf(response), 1));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const tell = (...hints: string[]) => {
    for (const line of lines) line.write(hints.map((hint) => `event: ${hint}\ndata: {}\n\n`).join(""));
  };
  return { server, lines, refusals, tell, base: `http://127.0.0.1:${port}` };
}

type Served = Awaited<ReturnType<typeof startServer>>;

/** A tab of the browser: modules of its own, on the locks and channels that all have. */
async function openTab({ base }: Served) {
  vi.resetModules();
  const [{ keepLine }, { hearNews, isTold }] = [await import("./line"), await import("./told")];
  const news: string[] = [];
  hearNews((one) => news.push(one));
  const waits: { ms: number; isEarly: boolean }[] = [];
  const deps: LineDeps = {
    fetch: async (path, init) => fetch(base + path, init),
    wait: async (ms, _, isEarly) => void waits.push({ ms, isEarly }),
  };
  const close = keepLine(deps);
  onTestFinished(close);
  return { news, waits, isTold, close, taken: () => news.splice(0) };
}

test("one tab reads for all, each hears of everything, and one that comes later hears at once that there is a line", async () => {
  const served = await startServer();
  const [one, other] = [await openTab(served), await openTab(served)];
  await expect.poll(() => [one.taken(), other.news.length]).toEqual([["open", "conversations"], 2]);
  expect(other.taken()).toEqual(["open", "conversations"]);
  const late = await openTab(served);
  await expect.poll(late.isTold).toBe(true);
  expect(late.taken()).toEqual(["open", "conversations"]);
  served.tell("servers", "something new", "conversations");
  for (const tab of [one, other, late])
    await expect.poll(() => tab.news).toEqual(["servers", "conversations"]);
  expect(served.lines).toHaveLength(1);
});

test("when the tab that reads is closed another one reads, and what was missed is looked at", async () => {
  const served = await startServer();
  const [one, other] = [await openTab(served), await openTab(served)];
  await expect.poll(() => other.taken()).toEqual(["open", "conversations"]);
  one.close();
  expect(one.isTold()).toBe(false);
  await expect.poll(() => other.news).toEqual(["lost", "open", "conversations", "servers", "settings"]);
  expect(served.lines).toHaveLength(1);
  other.taken();
  served.tell("settings");
  await expect.poll(() => other.news).toEqual(["settings"]);
});

test("a line that ends or breaks is opened again, after a time by chance", async () => {
  const served = await startServer();
  const tab = await openTab(served);
  await expect.poll(tab.isTold).toBe(true);
  for (const how of ["end", "destroy"] as const) {
    tab.taken();
    served.lines[0]?.[how]();
    await expect.poll(() => tab.news).toEqual(["lost", "open", "conversations", "servers", "settings"]);
  }
  expect(tab.waits).toEqual(Array(2).fill({ ms: expect.any(Number), isEarly: false }));
  for (const { ms } of tab.waits) expect(ms).toBeLessThanOrEqual(1_000);
});

test("a server that refuses says when to try again, and each failure waits longer", async () => {
  const served = await startServer();
  served.refusals.push({ status: 503, retryAfter: "5" }, { status: 502 }, { status: 429, retryAfter: "60" });
  const tab = await openTab(served);
  await expect.poll(tab.isTold).toBe(true);
  expect(tab.waits).toHaveLength(3);
  const least = [5_000, 0, 60_000];
  for (const [at, { ms, isEarly }] of tab.waits.entries()) {
    expect(isEarly).toBe(false);
    expect(ms - (least[at] ?? 0)).toBeGreaterThanOrEqual(0);
    expect(ms - (least[at] ?? 0)).toBeLessThanOrEqual(1_000 * 2 ** at);
  }
});

test("a tab that nobody is signed in to leaves the line to another one", async () => {
  const served = await startServer();
  served.refusals.push({ status: 401 });
  const [one, other] = [await openTab(served), await openTab(served)];
  await expect.poll(() => [one.isTold(), other.isTold()]).toEqual([true, true]);
  expect(one.waits).toEqual([]);
  one.close();
  served.tell("servers");
  await expect.poll(() => other.news).toContain("servers");
  expect(other.news.filter((news) => news === "open")).toHaveLength(1);
});

test("a server that cannot be reached is waited for until the network is back", async () => {
  const served = await startServer();
  vi.resetModules();
  const [{ keepLine }, { ApiError }] = [await import("./line"), await import("./http")];
  const tries: boolean[] = [];
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const close = keepLine({
    fetch: async (path, init) => {
      if (tries.length < 2) throw new ApiError("offline", "The server cannot be reached.", 0);
      resolve();
      return fetch(served.base + path, init);
    },
    wait: async (_, __, isEarly) => void tries.push(isEarly),
  });
  onTestFinished(close);
  await isOver;
  expect(tries).toEqual([true, true]);
});
