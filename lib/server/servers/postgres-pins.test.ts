import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import type { McpPool, PoolOptions } from "@/lib/mcp/mcp-pool";
import { peopleMemory } from "@/lib/mcp/testing/people-memory";
import {
  localServer,
  newDatabase,
  type PoolOfInstance,
  poolOn,
  ready,
  seen,
  statusOf,
  twoPools,
} from "@/lib/server/testing/shared-pools";

const way = (name: string): Partial<PoolOptions> => ({ env: { PATH: process.env.PATH, WAY: name } });
const states = (pool: McpPool, server = "s") =>
  pool.server(server)?.tools.map(({ name, definition }) => `${name} ${definition}`);
const hashOf = (pool: McpPool, tool: string) => pool.tool(`s__${tool}`)?.item.hash ?? "";
const lockOf = async ({ documents }: PoolOfInstance) =>
  JSON.parse((await documents.read("mcp-servers.lock"))?.text ?? "{}").servers;

test("a server that lists other tools to each instance is pinned once: what the second is told is held", async () => {
  const url = await newDatabase();
  const pools = ["plain", "meta"].map((tools) => poolOn(url, { s: localServer }, way(tools)));
  await Promise.all(pools.map((each) => each.start()));
  const [a, b] = pools as [PoolOfInstance, PoolOfInstance];
  await Promise.all(pools.map((each) => ready(each, "s")));
  const [first, second] = Object.keys((await lockOf(a)).s).includes("echo") ? [a, b] : [b, a];
  expect(new Set(states(first.pool)?.map((state) => state.split(" ")[1]))).toEqual(new Set(["pinned"]));
  expect(new Set(states(second.pool)?.map((state) => state.split(" ")[1]))).toEqual(new Set(["added"]));
});

test("of many first meetings at once none is lost, and each server is pinned by one", async () => {
  const url = await newDatabase();
  const names = Array.from({ length: 6 }, (_, at) => `s${at}`);
  const servers = Object.fromEntries(names.map((name) => [name, localServer]));
  const pools = [poolOn(url, servers), poolOn(url, servers)];
  await Promise.all(pools.map((each) => each.start()));
  for (const each of pools) for (const name of names) await ready(each, name);
  expect(Object.keys(await lockOf(pools[0] as PoolOfInstance))).toEqual(names);
  for (const { pool } of pools)
    for (const name of names)
      expect(states(pool, name)).toEqual(["echo pinned", "environment pinned", "wait pinned"]);
});

test("what is accepted and blocked at both at the same moment is all kept, and comes to the other", async () => {
  const url = await newDatabase();
  const [a, b] = [poolOn(url, { s: localServer }, way("plain")), poolOn(url, {}, way("meta"))];
  for (const each of [a, b]) {
    await each.start();
    await ready(each, "s");
  }
  expect(states(b.pool)).toEqual(["fail added", "meta added"]);
  await Promise.all([
    a.pool.definitions.block("s", { tool: "echo", hash: hashOf(a.pool, "echo") }),
    b.pool.definitions.accept("s", [{ tool: "meta", hash: hashOf(b.pool, "meta") }]),
    a.pool.definitions.block("s", { tool: "wait", hash: hashOf(a.pool, "wait") }),
    b.pool.definitions.accept("s", [{ tool: "fail", hash: hashOf(b.pool, "fail") }]),
  ]);
  const { s } = await lockOf(a);
  expect(Object.keys(s)).toEqual(["echo", "environment", "fail", "meta", "wait"]);
  expect([s.echo.blocked, s.wait.blocked]).toEqual([hashOf(a.pool, "echo"), hashOf(a.pool, "wait")]);
  await seen(() => expect(a.pool.server("s")?.removedTools.toSorted()).toEqual(["fail", "meta"]));
  expect(states(b.pool)).toEqual(["fail pinned", "meta pinned"]);
});

test("a tool that is blocked at one instance is not offered at the other any more", async () => {
  const [a, b] = await twoPools({ s: localServer });
  await ready(a, "s");
  await ready(b, "s");
  await a.pool.definitions.block("s", { tool: "echo", hash: hashOf(a.pool, "echo") });
  await seen(() => expect(b.pool.tool("s__echo")?.item.blocked).toBe(true));
  await b.pool.definitions.acceptTool("s__echo", hashOf(b.pool, "echo"));
  await a.pool.lookForChanges();
  expect(a.pool.tool("s__echo")?.item.blocked).toBe(false);
});

test("while what was met cannot be stored its tools ask first, and it is stored as soon as that is possible", async () => {
  const url = await newDatabase();
  let isAway = true;
  const shared = poolOn(url, {}, { trustFile: false });
  const { documents } = shared;
  const write: typeof documents.write = async (name, ...rest) => {
    if (isAway && name.endsWith(".lock")) throw new Error("away");
    return documents.write(name, ...rest);
  };
  const a = poolOn(url, { s: localServer }, { documents: { label: "PostgreSQL", ...documents, write } });
  await a.start();
  await ready(a, "s");
  expect(states(a.pool)).toEqual(["echo changed", "environment changed", "wait changed"]);
  expect(a.warnings.join()).toContain("so its tools ask first");
  isAway = false;
  await a.pool.lookForChanges();
  expect(states(a.pool)).toEqual(["echo pinned", "environment pinned", "wait pinned"]);
  expect(Object.keys(await lockOf(a))).toEqual(["s"]);
});

test("a server is ready once it is stored what is accepted of it, and not before", async () => {
  const url = await newDatabase();
  const { documents } = poolOn(url, {}, { trustFile: false });
  const [reached, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const write: typeof documents.write = async (name, ...rest) => {
    if (name.endsWith(".lock")) {
      reached.resolve();
      await goesOn.promise;
    }
    return documents.write(name, ...rest);
  };
  const a = poolOn(url, { s: localServer }, { documents: { label: "PostgreSQL", ...documents, write } });
  await a.start();
  await reached.promise;
  // Long enough for one that does not wait.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(a.pool.server("s")?.status).toBe("connecting");
  goesOn.resolve();
  await ready(a, "s");
  expect(states(a.pool)).toEqual(["echo pinned", "environment pinned", "wait pinned"]);
});

test("a lock that a newer version has written is left alone: tools ask first until it can be read", async () => {
  const [a, b] = await twoPools({ s: localServer });
  await ready(a, "s");
  await ready(b, "s");
  const { text = "", version } = (await a.documents.read("mcp-servers.lock")) ?? {};
  const newer = text.replace('"version": 2', '"version": 3');
  expect(await a.documents.write("mcp-servers.lock", newer, version)).toBe(2);
  await seen(() => expect(states(b.pool)).toEqual(["echo changed", "environment changed", "wait changed"]));
  await expect(b.pool.definitions.acceptTool("s__echo", hashOf(b.pool, "echo"))).rejects.toMatchObject({
    code: "file_broken",
    message: expect.stringContaining("If a newer Meguri has written it"),
  });
  expect((await a.documents.read("mcp-servers.lock"))?.text).toBe(newer);
  await a.documents.write("mcp-servers.lock", text, 2);
  await b.pool.lookForChanges();
  expect(states(b.pool)).toEqual(["echo pinned", "environment pinned", "wait pinned"]);
});

test("the lock file beside the first instance is put in once, one that cannot be read is not", async () => {
  const url = await newDatabase();
  const a = poolOn(url, { s: localServer });
  const file = join(a.folder, "mcp-servers.lock.json");
  writeFileSync(file, "<<<<<<< HEAD");
  await a.start();
  await ready(a, "s");
  expect(states(a.pool)).toEqual(["echo changed", "environment changed", "wait changed"]);
  expect(a.warnings.join()).toContain("mcp-servers.lock.json cannot be read. Fix or delete it.");
  expect(await a.documents.read("mcp-servers.lock")).toBeUndefined();
  const echo = { echo: { hash: "earlier", definition: { name: "echo" } } };
  writeFileSync(file, JSON.stringify({ version: 2, servers: { s: echo } }));
  await seen(() => expect(states(a.pool)).toEqual(["echo changed", "environment added", "wait added"]));
  expect(await a.documents.read("mcp-servers.lock")).toMatchObject({ version: 1 });
  writeFileSync(file, JSON.stringify({ version: 2, servers: {} }));
  await a.pool.lookForChanges();
  expect(states(a.pool)?.[0]).toBe("echo changed");
});

test("a server that is removed takes its pins along, at every instance", async () => {
  const [a, b] = await twoPools({ s: localServer, t: localServer });
  for (const each of [a, b]) for (const name of ["s", "t"]) await ready(each, name);
  await a.pool.file.remove("s");
  expect(Object.keys(await lockOf(b))).toEqual(["t"]);
  await b.pool.lookForChanges();
  await a.pool.file.add({ s: localServer });
  await a.pool.file.approve("s", a.pool.server("s")?.approvalHash ?? "");
  await ready(a, "s");
  expect(states(a.pool)?.[0]).toBe("echo pinned");
});

const alice = "alice";
const accounts: Partial<PoolOptions> = { people: peopleMemory() };
const personal = { ...localServer, scope: "user" } as const;

test("what a person has accepted counts for them at every instance, and goes with them", async () => {
  const [a, b] = await twoPools({ s: personal }, [
    { ...accounts, ...way("plain") },
    { ...accounts, ...way("meta") },
  ]);
  const isReady = ({ pool }: PoolOfInstance, person: string) =>
    vi.waitUntil(() => pool.of(person).server("s")?.status === "ready", { timeout: 15_000 });
  await isReady(a, alice);
  expect(states(a.pool.of(alice))?.[0]).toBe("echo pinned");
  await isReady(b, alice);
  expect(states(b.pool.of(alice))).toEqual(["fail added", "meta added"]);
  // Another person meets the same server for themselves.
  await isReady(b, "ben");
  expect(states(b.pool.of("ben"))).toEqual(["fail pinned", "meta pinned"]);
  await b.pool.of(alice).definitions.accept("s", [{ tool: "meta", hash: hashOf(b.pool.of(alice), "meta") }]);
  await seen(() => expect(a.pool.of(alice).server("s")?.removedTools).toEqual(["meta"]));
  expect(await a.documents.names("mcp-servers.lock:")).toEqual([
    "mcp-servers.lock:alice",
    "mcp-servers.lock:ben",
  ]);
  expect(readdirSync(a.folder)).not.toContain("pins");
  await a.pool.file.remove("s");
  for (const name of await a.documents.names("mcp-servers.lock:"))
    expect(JSON.parse((await a.documents.read(name))?.text ?? "")).toMatchObject({ servers: {} });
  await b.pool.forgetPerson(alice);
  expect(await a.documents.names("mcp-servers.lock:")).toEqual(["mcp-servers.lock:ben"]);
});

test("what a person has accepted before instances shared it is put in when they come", async () => {
  const url = await newDatabase();
  const a = poolOn(url, { s: personal }, accounts);
  const file = join(a.folder, "pins", "alice.lock.json");
  mkdirSync(dirname(file));
  const echo = { echo: { hash: "earlier", definition: { name: "echo" } } };
  writeFileSync(file, JSON.stringify({ version: 2, servers: { s: echo } }));
  await a.start();
  await vi.waitUntil(() => a.pool.of(alice).server("s")?.status === "ready", { timeout: 15_000 });
  expect(states(a.pool.of(alice))).toEqual(["echo changed", "environment added", "wait added"]);
  await a.pool.forgetPerson(alice);
  expect(await a.documents.names("mcp-servers.lock:")).toEqual([]);
  expect(readdirSync(dirname(file))).toEqual([]);
  expect(statusOf(a, "s")).toBe("disabled");
});
