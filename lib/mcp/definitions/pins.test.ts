import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTool, type ServerTool } from "@/lib/mcp/connection/server-tool";
import { startPool } from "@/lib/mcp/testing/start-pool";
import { fixture, openPool, type TestPool, textOf } from "@/lib/mcp/testing/test-pool";
import { type Pin, readLock, writeLock } from "./lock-file";
import { LockInFile } from "./lock-in-file";
import { Pins } from "./pins";

/** A server that changes one tool, adds one and removes one. */
const turned = async (options?: Parameters<typeof openPool>[1]) => {
  const test = await startPool({ coat: fixture("turncoat") }, options);
  await test.ready("coat");
  await test.run("coat__turn");
  await test.until(() => test.pool.tool("coat__gift") !== undefined);
  const hashOf = (tool: string) => test.pool.tool(`coat__${tool}`)?.item.hash ?? "";
  const readLock = async () => JSON.parse(await readFile(`${test.folder}/mcp.lock.json`, "utf8"));
  const definition = (tool: string) => test.pool.definitions.list("coat").find((one) => one.tool === tool);
  return { ...test, test, hashOf, readLock, definition };
};
const states = ({ pool }: TestPool, server: string) =>
  pool.server(server)?.tools.map(({ name, definition }) => `${name} ${definition}`);

test("definitions are pinned at the first listing; a changed and a new one are held until accepted", async () => {
  const test = await startPool({ drift: fixture("drift") });
  const { pool, folder, ready, run, until } = test;
  await ready("drift");
  expect(states(test, "drift")).toEqual(["change pinned", "shifty pinned", "steady pinned"]);
  const before = pool.tool("drift__shifty")?.item.hash ?? "";
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  await run("drift__change");
  await until(() => pool.tool("drift__newcomer") !== undefined);
  expect(states(test, "drift")).toEqual([
    "change pinned",
    "newcomer added",
    "shifty changed",
    "steady pinned",
  ]);
  const hash = pool.tool("drift__shifty")?.item.hash ?? "";
  await expect(pool.definitions.acceptTool("drift__shifty", before)).rejects.toMatchObject({ code: "stale" });
  expect(pool.tool("drift__shifty")?.item.definition).toBe("changed");
  await pool.definitions.acceptTool("drift__shifty", hash);
  expect(pool.tool("drift__shifty")?.item.definition).toBe("pinned");
  const lock = JSON.parse(await readFile(`${folder}/mcp.lock.json`, "utf8"));
  expect(Object.keys(lock.servers.drift)).toEqual(["change", "shifty", "steady"]);
  expect(lock.servers.drift.shifty).toMatchObject({
    hash,
    definition: { description: "Now sends your files away." },
  });
  await expect(pool.definitions.acceptTool("drift__nothing", hash)).rejects.toMatchObject({
    code: "not_found",
  });
});

test("pins outlast the process, and a listing that changes nothing writes nothing", async () => {
  const first = await openPool({ plain: fixture("plain") });
  await first.ready("plain");
  await first.pool.close();
  const path = `${first.folder}/mcp.lock.json`;
  const lock = JSON.parse(await readFile(path, "utf8"));
  lock.servers.plain.echo.hash = "f".repeat(64);
  await writeFile(path, JSON.stringify(lock));
  const second = await startPool({}, { folder: first.folder });
  await second.ready("plain");
  expect(states(second, "plain")).toEqual(["echo changed", "environment pinned", "wait pinned"]);
  await second.pool.close();
  expect(await readFile(path, "utf8")).toBe(JSON.stringify(lock));
});

test("each tool says what was accepted of it and what the server says now, names sorted", async () => {
  const { pool, definition } = await turned();
  expect(pool.definitions.list("coat").map(({ tool, state }) => `${tool} ${state}`)).toEqual([
    "gift added",
    "keep changed",
    "turn pinned",
    "leave removed",
  ]);
  expect(pool.server("coat")?.removedTools).toEqual(["leave"]);
  const keep = definition("keep");
  expect(keep?.accepted).toMatchObject({
    definition: { description: "Keeps a note on this machine." },
    acceptedAt: expect.stringMatching(/^\d{4}-/),
  });
  expect(Object.keys(keep?.present?.definition ?? {})).toEqual([
    "annotations",
    "description",
    "inputSchema",
    "name",
  ]);
  expect(definition("gift")).toMatchObject({ accepted: null, history: [] });
  expect(definition("leave")).toMatchObject({ present: null, accepted: { definition: { name: "leave" } } });
  expect(() => pool.definitions.list("nobody")).toThrow(expect.objectContaining({ code: "not_found" }));
});

test("what is accepted replaces what was, which goes into the history; a removed tool is forgotten", async () => {
  const { pool, hashOf, readLock, definition } = await turned();
  const keep = { tool: "keep", hash: hashOf("keep") };
  const gift = { tool: "gift", hash: hashOf("gift") };
  const leave = { tool: "leave", hash: definition("leave")?.accepted?.hash ?? "" };
  const before = definition("keep")?.accepted;
  await expect(pool.definitions.accept("coat", [keep, { ...gift, hash: "another" }])).rejects.toMatchObject({
    code: "stale",
  });
  await expect(pool.definitions.accept("coat", [keep, { ...leave, hash: "another" }])).rejects.toMatchObject({
    code: "stale",
  });
  expect(pool.tool("coat__keep")?.item.definition).toBe("changed");
  await pool.definitions.accept("coat", [keep, gift, leave]);
  expect(pool.definitions.list("coat").map(({ tool, state }) => `${tool} ${state}`)).toEqual([
    "gift pinned",
    "keep pinned",
    "turn pinned",
  ]);
  expect(definition("keep")?.history).toEqual([before]);
  const { version, servers } = await readLock();
  expect(version).toBe(2);
  expect(Object.keys(servers.coat)).toEqual(["gift", "keep", "turn"]);
  expect(servers.coat.keep).toMatchObject({ hash: keep.hash, history: [before] });
});

test("a definition that is kept blocked is neither offered nor called, also after a restart, until another comes", async () => {
  const { pool, hashOf, readLock, folder, run, until } = await turned();
  const [hash, gift] = [hashOf("keep"), hashOf("gift")];
  await expect(pool.definitions.block("coat", { tool: "keep", hash: "another" })).rejects.toMatchObject({
    code: "stale",
  });
  await pool.definitions.block("coat", { tool: "keep", hash });
  await pool.definitions.block("coat", { tool: "gift", hash: gift });
  expect(pool.tool("coat__keep")?.item).toMatchObject({ definition: "changed", blocked: true });
  expect(textOf((await run("coat__keep")).result)).toMatch(
    /^There is no tool coat__keep\. The tools are: coat__turn/,
  );
  const byHand = pool.call("coat", "keep", {}, new AbortController().signal);
  await expect(byHand).rejects.toMatchObject({ code: "blocked" });
  expect((await readLock()).servers.coat).toMatchObject({
    gift: { blocked: gift },
    keep: { blocked: hash, definition: { description: "Keeps a note on this machine." } },
  });
  await run("coat__turn");
  await until(() => pool.tool("coat__keep")?.item.hash !== hash);
  expect(pool.tool("coat__keep")?.item).toMatchObject({ definition: "changed", blocked: false });
  await pool.close();

  const second = await startPool({}, { folder });
  await second.ready("coat");
  expect(second.pool.tool("coat__keep")?.item).toMatchObject({ definition: "pinned", blocked: false });
  await second.run("coat__turn");
  await second.until(() => second.pool.tool("coat__gift") !== undefined);
  expect(second.pool.tool("coat__gift")?.item).toMatchObject({ definition: "added", blocked: true });
  await second.pool.definitions.acceptTool("coat__keep", hash);
  await second.pool.definitions.acceptTool("coat__gift", gift);
  expect(textOf((await second.run("coat__gift")).result)).toBe("gift {}");
});

test("a lock file of the first form is read without loss, and written in the second with the next change", async () => {
  const first = await openPool({ coat: fixture("turncoat") });
  await first.ready("coat");
  await first.pool.close();
  const path = `${first.folder}/mcp.lock.json`;
  const { servers } = JSON.parse(await readFile(path, "utf8"));
  for (const pin of Object.values<{ acceptedAt?: string }>(servers.coat)) delete pin.acceptedAt;
  const old = `${JSON.stringify({ version: 1, servers: { other: { tool: { hash: "h", definition: {} } }, ...servers } })}`;
  await writeFile(path, old);
  const { readLock, hashOf, pool, definition } = await turned({ folder: first.folder });
  expect(await readFile(path, "utf8")).toBe(old);
  expect(definition("keep")).toMatchObject({ state: "changed", accepted: { acceptedAt: null } });
  await pool.definitions.acceptTool("coat__keep", hashOf("keep"));
  const lock = await readLock();
  expect(lock).toMatchObject({ version: 2, servers: { other: { tool: { hash: "h", definition: {} } } } });
  expect(lock.servers.coat.leave).toEqual(servers.coat.leave);
  expect(lock.servers.coat.keep.history).toEqual([servers.coat.keep]);
});

test("of a tool at most five earlier definitions are kept, newest first", async () => {
  const pins = new Pins(
    new LockInFile(join(await mkdtemp(join(tmpdir(), "pins-")), "mcp.lock.json"), () => {}),
  );
  const version = (description: string) =>
    readTool({ name: "echo", description, inputSchema: { type: "object" } }) as ServerTool;
  for (const text of ["1", "2", "3", "3", "4", "5", "6", "7"])
    await pins.accept("one", { tools: [version(text)] });
  const { accepted, history } = pins.of("one").get("echo") as Pin;
  expect([accepted, ...history].map((one) => one?.definition)).toMatchObject(
    ["7", "6", "5", "4", "3", "2"].map((description) => ({ description })),
  );
});

test("the same pins are the same text in any order, and a file of a newer form is left alone", () => {
  const pin = (hash: string) => ({ hash, definition: { b: 1, a: [2, 1] }, acceptedAt: null });
  const tools = ["b", "a"].map(
    (name) => [name, { accepted: pin(name), history: [], blocked: null }] as const,
  );
  const text = writeLock(
    new Map([
      ["two", new Map(tools)],
      ["one", new Map()],
    ]),
  );
  expect(text).toBe(
    writeLock(
      new Map([
        ["one", new Map()],
        ["two", new Map(tools.toReversed())],
      ]),
    ),
  );
  expect(writeLock(readLock(text))).toBe(text);
  expect(() => readLock(text.replace('"version": 2', '"version": 3'))).toThrow(/newer Meguri/);
});

test("with a broken lock file nothing counts as accepted, and it is not overwritten", async () => {
  const first = await openPool({ plain: fixture("plain") });
  await first.ready("plain");
  await first.pool.close();
  const path = `${first.folder}/mcp.lock.json`;
  await writeFile(path, "<<<<<<< HEAD");
  const second = await startPool({}, { folder: first.folder });
  await second.ready("plain");
  expect(states(second, "plain")).toEqual(["echo changed", "environment changed", "wait changed"]);
  expect(second.warnings.join()).toContain("mcp.lock.json cannot be read");
  // A new file would know this one tool only, and accept the next listing of every other server.
  const echo = { tool: "echo", hash: second.pool.tool("plain__echo")?.item.hash ?? "" };
  const refused = { code: "file_broken" };
  await expect(second.pool.definitions.accept("plain", [echo])).rejects.toMatchObject(refused);
  await expect(second.pool.definitions.block("plain", echo)).rejects.toMatchObject(refused);
  expect(await readFile(path, "utf8")).toBe("<<<<<<< HEAD");
});

test("a server that is removed takes its pins along", async () => {
  const { pool, ready, folder } = await startPool({ plain: fixture("plain"), other: fixture("burst") });
  await Promise.all([ready("plain"), ready("other")]);
  await pool.file.remove("plain");
  const lock = JSON.parse(await readFile(`${folder}/mcp.lock.json`, "utf8"));
  expect(Object.keys(lock.servers)).toEqual(["other"]);
});

test("tools with the oddest names stay pinned over a restart", async () => {
  const first = await openPool({ names: fixture("names") });
  await first.ready("names");
  await first.pool.close();
  const second = await startPool({}, { folder: first.folder });
  const { tools, removedTools } = await second.ready("names");
  expect(tools.map(({ name, definition }) => [name.slice(0, 9), definition])).toContainEqual([
    "__proto__",
    "pinned",
  ]);
  expect([tools.filter(({ definition }) => definition !== "pinned"), removedTools]).toEqual([[], []]);
});
