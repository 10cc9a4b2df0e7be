import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { noServers } from "../support/default-servers";
import { logged, textOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

/** A connection of its own that asks for a run's events, and reads them only where it is told to. */
function openReader(app: App, runId: string, { version = "1.1", header = "" } = {}) {
  const { hostname, port } = new URL(app.baseUrl);
  const socket: Socket = connect(Number(port), hostname);
  const lines = [`GET /api/runs/${runId}/stream HTTP/${version}`, `Host: ${hostname}:${port}`];
  socket.write(
    [...lines, `Authorization: Bearer ${app.token}`, `${header}\r\n\r\n`].filter(Boolean).join("\r\n"),
  );
  socket.on("error", () => {});
  const reader = {
    socket,
    text: "",
    /** Reads until this has come, or the connection has ended. */
    read: (last: string) =>
      new Promise<string>((resolve) => {
        socket.setEncoding("utf8").on("data", (data) => {
          reader.text += data;
          if (reader.text.slice(-200 - data.length).includes(last)) resolve(reader.text);
        });
        socket.once("close", () => resolve(reader.text));
      }),
  };
  return reader;
}

/** From the first to the last number of each event, merged ones too. */
const ranges = (text: string): [number, number][] =>
  [...text.matchAll(/^id: (\d+)\nevent: \w+\ndata: (?:.*,"from":(\d+)\}$)?/gm)].map(([, id, from]) => [
    Number(from ?? id),
    Number(id),
  ]);

const withoutGap = (text: string) =>
  ranges(text).every(([from], index, all) => from === (all[index - 1]?.[1] ?? 0) + 1);

const residentMb = (app: App) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${app.pid}/status`, "utf8"))?.[1]) / 1024;

const words = (count: number, length: number) =>
  Array.from({ length: count }, () => "x".repeat(length)).join(" ");

test("headers of a client make no stream, and none of ours reaches it; an old client reads until the end of the connection", async ({
  startWithModel,
}) => {
  const { app } = await startWithModel(() => [say("Hello to all.")], noServers);
  const api = apiOf(app);
  const live = await api.ask("Hello");
  await live.closed;
  for (const version of ["1.0", "1.1"]) {
    const reader = openReader(app, live.runId, { version, header: "X-Meguri-Stream: forged" });
    const text = await reader.read("event: end");
    reader.socket.destroy();
    expect(text).toContain("HTTP/1.1 200");
    expect(text.toLowerCase()).not.toContain("x-meguri");
    expect(text.includes("Transfer-Encoding: chunked")).toBe(version === "1.1");
    expect(ranges(text).length).toBe(logged(live.events).length);
  }
  const head = await app.fetch(`/api/runs/${live.runId}/stream`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
});

test("readers that stop reading hold back nobody, and one that reads again gets all it has missed", async ({
  startWithModel,
}) => {
  const { app } = await startWithModel(() => [say(words(2000, 4000))], noServers);
  const api = apiOf(app);
  const live = await api.ask("Much");
  await live.until((events) => logged(events).length > 2);
  const slow = Array.from({ length: 60 }, () => openReader(app, live.runId));
  const before = residentMb(app);
  await live.closed;
  // Each holds a batch, and the kernel what it has taken: not eight megabytes each.
  expect(residentMb(app) - before).toBeLessThan(300);
  const text = (await slow[0]?.read("event: end")) ?? "";
  for (const { socket } of slow) socket.destroy();
  expect(withoutGap(text)).toBe(true);
  expect(ranges(text).at(-1)?.[1]).toBe(logged(live.events).at(-1)?.id);
});

test("a run has 2,500 readers of which some never read, and another run goes on beside it", async ({
  startWithModel,
}) => {
  test.slow();
  const go = Promise.withResolvers<void>();
  const { app } = await startWithModel(
    ({ lastUserText }) =>
      lastUserText === "Many"
        ? [say("One "), { type: "until", done: go.promise }, say(words(30, 20), { delayMs: 5 })]
        : [say("Beside.")],
    noServers,
  );
  const api = apiOf(app);
  const live = await api.ask("Many");
  const before = residentMb(app);
  const readers = Array.from({ length: 2500 }, () => openReader(app, live.runId));
  const [reading, silent] = [readers.slice(500), readers.slice(0, 500)];
  const ends = reading.map((reader) => reader.read("event: end"));
  await Promise.all(silent.map(({ socket }) => new Promise((resolve) => socket.once("connect", resolve))));
  go.resolve();
  const beside = await api.ask("Beside");
  await beside.closed;
  expect(textOf(beside.events)).toBe("Beside.");
  for (const text of await Promise.all(ends))
    expect([withoutGap(text), text.includes("event: result")]).toEqual([true, true]);
  await live.closed;
  expect(residentMb(app) - before).toBeLessThan(400);
  for (const { socket } of readers) socket.destroy();
  await expect.poll(async () => (await app.fetch("/api/health")).status).toBe(200);
});
