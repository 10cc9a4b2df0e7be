import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { streamable } from "./testing/http-server";
import { peopleMemory } from "./testing/people-memory";
import { startPool } from "./testing/start-pool";

const people = peopleMemory();
const until = (holds: () => unknown) => expect.poll(holds, { timeout: 60_000, interval: 10 }).toBe(true);

/** A server on loopback that tells how many sockets are open. */
async function start(answer: RequestListener) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests: () => requests,
    sockets: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
  };
}

const isReady = (view: { server(name: string): { status: string } | undefined }) =>
  view.server("desk")?.status === "ready";

test("of 200 people who were there once nothing is left after a while, and who comes back is connected anew", async () => {
  const desk = await start(streamable().answer);
  const { pool } = await startPool({ desk: { url: desk.url } }, { people, tuning: { personIdleMs: 300 } });
  const names = Array.from({ length: 200 }, (_, index) => `person ${index}`);
  const releases = names.map((name) => pool.hold(name));
  const views = names.map((name) => pool.of(name));
  await until(() => views.every(isReady));
  expect(await desk.sockets()).toBeGreaterThanOrEqual(200);
  for (const release of releases) release();
  await expect.poll(desk.sockets, { timeout: 20_000 }).toBe(0);
  expect(names.filter((name, index) => pool.of(name) === views[index])).toEqual([]);
  const release = pool.hold("person 0");
  await until(() => isReady(pool.of("person 0")));
  release();
});

test("the connections of a person stay while one of their uses or calls goes on", async () => {
  let answer: (() => void) | undefined;
  const slow = streamable(404, ({ params }, _request, response) => {
    if (params?.name !== "look") return false;
    answer = () => response.writeHead(500).end();
    return true;
  });
  const desk = await start(slow.answer);
  const { pool } = await startPool({ desk: { url: desk.url } }, { people, tuning: { personIdleMs: 150 } });
  const release = pool.hold("ben");
  const view = pool.of("ben");
  await until(() => isReady(view));
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(pool.of("ben")).toBe(view);

  const called = view.call("desk", "look", {}, new AbortController().signal).catch(() => {});
  await until(() => answer !== undefined);
  release();
  release();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(isReady(view)).toBe(true);
  answer?.();
  await called;
  await until(() => !isReady(view));
  expect(pool.of("ben")).not.toBe(view);
});

test("a server that cannot be reached is not tried again for who is away, and is with their next use", async () => {
  const desk = await start((_request, response) => response.writeHead(503).end());
  const { pool } = await startPool({ desk: { url: desk.url } }, { people, tuning: { personAwayMs: 100 } });
  pool.of("ben");
  await until(() => desk.requests() > 0);
  await new Promise((resolve) => setTimeout(resolve, 700));
  const before = desk.requests();
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(desk.requests()).toBe(before);
  pool.of("ben");
  await until(() => desk.requests() > before);
  const release = pool.hold("ben");
  const back = desk.requests();
  await until(() => desk.requests() > back + 3);
  release();
});

test("at most 32 connections are opened at once for all people, and 4 for one of them", async () => {
  let opening = 0;
  let most = 0;
  let goOn = false;
  const desk = streamable();
  const slow = await start((request, response) => {
    most = Math.max(most, ++opening);
    const answer = () => {
      opening--;
      desk.answer(request, response);
    };
    const look = () => (goOn ? answer() : void setTimeout(look, 20));
    look();
  });
  const names = Array.from({ length: 8 }, (_, index) => `desk${index}`);
  const { pool } = await startPool(Object.fromEntries(names.map((name) => [name, { url: slow.url }])), {
    people,
  });
  pool.of("ben");
  await until(() => opening === 4);
  for (let index = 0; index < 30; index++) pool.of(`person ${index}`);
  await until(() => opening === 32);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(most).toBe(32);
  goOn = true;
  const ben = pool.of("ben");
  await until(() => names.every((name) => ben.server(name)?.status === "ready"));
});

test("beyond a number of people those go who have been away for longest, and nobody who is there", async () => {
  const desk = await start(streamable().answer);
  const { pool } = await startPool({ desk: { url: desk.url } }, { people, tuning: { maxPeople: 2 } });
  const release = pool.hold("ben");
  const ben = pool.of("ben");
  const cleo = pool.of("cleo");
  pool.of("dora");
  await until(() => isReady(ben));
  expect(pool.of("ben")).toBe(ben);
  await until(() => !isReady(cleo));
  expect(pool.of("cleo")).not.toBe(cleo);
  expect(pool.of("ben")).toBe(ben);
  release();
});
