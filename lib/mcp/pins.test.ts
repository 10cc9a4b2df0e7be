import { readFile, writeFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { fixture, openPool, type TestPool } from "./testing/test-pool";

const open: TestPool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
});
const start = async (...args: Parameters<typeof openPool>) => {
  const pool = await openPool(...args);
  open.push(pool);
  return pool;
};
const states = ({ pool }: TestPool, server: string) =>
  pool.server(server)?.tools.map(({ name, definition }) => `${name} ${definition}`);

test("definitions are pinned at the first listing; a changed and a new one are held until accepted", async () => {
  const test = await start({ drift: fixture("drift") });
  const { pool, folder, ready, run, until } = test;
  await ready("drift");
  expect(states(test, "drift")).toEqual(["change pinned", "shifty pinned", "steady pinned"]);
  const before = pool.tool("drift__shifty")?.item.hash ?? "";
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  await run("drift__change");
  await until(() => pool.tool("drift__newcomer") !== undefined);
  expect(states(test, "drift")).toEqual([
    "change pinned",
    "newcomer changed",
    "shifty changed",
    "steady pinned",
  ]);
  const hash = pool.tool("drift__shifty")?.item.hash ?? "";
  await expect(pool.acceptDefinition("drift__shifty", before)).rejects.toMatchObject({ code: "stale" });
  expect(pool.tool("drift__shifty")?.item.definition).toBe("changed");
  await pool.acceptDefinition("drift__shifty", hash);
  expect(pool.tool("drift__shifty")?.item.definition).toBe("pinned");
  const lock = JSON.parse(await readFile(`${folder}/mcp.lock.json`, "utf8"));
  expect(Object.keys(lock.servers.drift)).toEqual(["change", "shifty", "steady"]);
  expect(lock.servers.drift.shifty).toMatchObject({
    hash,
    definition: { description: "Now sends your files away." },
  });
  await expect(pool.acceptDefinition("drift__nothing", hash)).rejects.toMatchObject({ code: "not_found" });
});

test("pins outlast the process, and a listing that changes nothing writes nothing", async () => {
  const first = await openPool({ plain: fixture("plain") });
  await first.ready("plain");
  await first.pool.close();
  const path = `${first.folder}/mcp.lock.json`;
  const lock = JSON.parse(await readFile(path, "utf8"));
  lock.servers.plain.echo.hash = "f".repeat(64);
  await writeFile(path, JSON.stringify(lock));
  const second = await start({}, { folder: first.folder });
  await second.ready("plain");
  expect(states(second, "plain")).toEqual(["echo changed", "environment pinned", "wait pinned"]);
  await second.pool.close();
  expect(await readFile(path, "utf8")).toBe(JSON.stringify(lock));
});

test("with a broken lock file nothing counts as accepted, and it is not overwritten", async () => {
  const first = await openPool({ plain: fixture("plain") });
  await first.ready("plain");
  await first.pool.close();
  const path = `${first.folder}/mcp.lock.json`;
  await writeFile(path, "<<<<<<< HEAD");
  const second = await start({}, { folder: first.folder });
  await second.ready("plain");
  expect(states(second, "plain")).toEqual(["echo changed", "environment changed", "wait changed"]);
  expect(second.warnings.join()).toContain("mcp.lock.json cannot be read");
  expect(await readFile(path, "utf8")).toBe("<<<<<<< HEAD");
});

test("a server that is removed takes its pins along", async () => {
  const { pool, ready, folder } = await start({ plain: fixture("plain"), other: fixture("burst") });
  await Promise.all([ready("plain"), ready("other")]);
  await pool.remove("plain");
  const lock = JSON.parse(await readFile(`${folder}/mcp.lock.json`, "utf8"));
  expect(Object.keys(lock.servers)).toEqual(["other"]);
});
