import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { fixture, openPool, processesWith, type TestPool, textOf } from "@/lib/mcp/testing/test-pool";
import type { McpServerConfig } from "@/lib/protocol/mcp";

const open: TestPool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
});
/** Servers of these names, of which at most `maxProcesses` run at the same time. */
async function start(maxProcesses: number, names: string[], way = "plain", tuning = {}) {
  const marker = `limit-${randomUUID()}`;
  const servers = Object.fromEntries(
    names.map((name): [string, McpServerConfig] => [name, fixture(way, marker)]),
  );
  const test = await openPool(servers, { maxProcesses, tuning });
  open.push(test);
  const statusOf = (name: string) => test.pool.server(name)?.status;
  const settled = () => test.until(() => names.every((name) => statusOf(name) !== "connecting"));
  return { ...test, names, statusOf, settled, running: () => processesWith(marker) };
}
const stopped = () => new AbortController();

test("more servers than may run at once are all listed, one after another, and the rest sleeps", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const { until, pool, statusOf, settled, run, running } = await start(2, names, "plain", {
    isolation: "group", // one process for each server, which can be counted
  });
  let most = 0;
  const count = setInterval(() => {
    most = Math.max(most, running().length);
  }, 20);
  await until(() => names.every((name) => pool.server(name)?.tools.length === 3));
  await settled();
  expect(names.map(statusOf).sort()).toEqual(["ready", "ready", ...Array(3).fill("sleeping")]);
  const results = await Promise.all(names.map((name) => run(`${name}__echo`, { name })));
  clearInterval(count);
  expect(results.map(({ result }) => textOf(result))).toEqual(
    names.map((name) => `echo ${JSON.stringify({ name })}`),
  );
  expect(most).toBe(2);
});

test("the one that nobody has used for longest makes room", async () => {
  const { run, settled, statusOf } = await start(2, ["a", "b", "c"]);
  await settled();
  await run("a__echo");
  await run("b__echo");
  await run("a__echo");
  expect([statusOf("a"), statusOf("b"), statusOf("c")]).toEqual(["ready", "ready", "sleeping"]);
  await run("c__echo");
  expect([statusOf("a"), statusOf("b"), statusOf("c")]).toEqual(["ready", "sleeping", "ready"]);
});

test("where all are at work, a call waits for the first that is free, and none is cut off", async () => {
  const { run, settled, statusOf } = await start(1, ["a", "b"]);
  await settled();
  await run("a__echo");
  const work = run("a__wait", { ms: 800 });
  const next = run("b__echo");
  expect((await work).result.status).toBe("ok");
  expect((await next).result.status).toBe("ok");
  expect([statusOf("a"), statusOf("b")]).toEqual(["sleeping", "ready"]);
});

test("where none becomes free, a call says why, and its server goes on sleeping", async () => {
  const { run, settled, statusOf, pool, until } = await start(1, ["a", "b"], "cancel", {
    // Also what each of them may take to start.
    timeoutMs: 4_000,
  });
  await settled();
  await run("a__cancelled");
  const stop = stopped();
  const endless = run("a__endless", {}, stop.signal);
  const { result } = await run("b__cancelled");
  expect([result.status, textOf(result)]).toEqual([
    "error",
    "Not run: b is idle and cannot be started now: as many local servers are in use as may run at once (1). Try again when a call has ended, or raise MCP_MAX_PROCESSES.",
  ]);
  expect([statusOf("a"), statusOf("b")]).toEqual(["ready", "sleeping"]);
  expect(pool.server("b")?.tools).toHaveLength(2);

  const given = stopped();
  const waiting = run("b__cancelled", {}, given.signal);
  await until(() => statusOf("b") === "connecting");
  given.abort();
  expect(textOf((await waiting).result)).toBe("Not run: stopped before it was sent.");
  expect([statusOf("a"), statusOf("b")]).toEqual(["ready", "sleeping"]);
  stop.abort();
  expect((await endless).result.status).toBe("unknown");
  expect((await run("b__cancelled")).result.status).toBe("ok");
});

test("a server that ends by itself or is switched off leaves its place to the next", async () => {
  const { run, settled, statusOf, pool, until } = await start(1, ["a", "b"]);
  await settled();
  await run("a__echo");
  const work = run("a__wait", { ms: 60_000 });
  const next = run("b__echo");
  await pool.file.edit("a", (stored) => ({ ...stored, disabled: true }));
  expect((await work).result.status).toBe("unknown");
  expect((await next).result.status).toBe("ok");
  await pool.file.edit("a", ({ disabled: _, ...stored }) => stored);
  await until(() => statusOf("a") === "ready" && statusOf("b") === "sleeping");
});
