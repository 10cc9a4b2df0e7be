import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { McpPool } from "./mcp-pool";
import { listen, streamable } from "./testing/http-server";
import { peopleMemory } from "./testing/people-memory";
import { startPool } from "./testing/start-pool";
import { faulty, fixture, isRunning, npmServer } from "./testing/test-pool";

const people = peopleMemory();
const memory = {
  ...npmServer("server-memory"),
  env: { MEMORY_FILE_PATH: `\${dataFolder}/memory.jsonl` },
  scope: "user" as const,
};
const own = { ...fixture("plain"), scope: "user" as const };

const statusIs = (view: McpPool, name: string, status: string) =>
  vi.waitFor(() => expect(view.server(name)?.status).toBe(status), { timeout: 15_000, interval: 20 });
const never = () => new AbortController().signal;
async function call(view: McpPool, server: string, tool: string, args: Record<string, unknown> = {}) {
  const { content } = await view.call(server, tool, args, never());
  return JSON.stringify(content);
}

test("each person has a process of their own, and what one of them has it remember no other one reads", async () => {
  const { pool, folder } = await startPool({ memory, shared: fixture("plain") }, { people });
  const [ben, cleo] = [pool.of("ben"), pool.of("cleo")];
  for (const view of [ben, cleo])
    for (const name of ["memory", "shared"]) await statusIs(view, name, "ready");
  expect(ben.server("memory")).toMatchObject({ scope: "user", transport: "stdio" });
  expect(ben.server("memory")?.pid).not.toBe(cleo.server("memory")?.pid);
  expect(ben.server("shared")?.pid).toBe(cleo.server("shared")?.pid);
  // Nobody's process is started for no person.
  expect(pool.server("memory")).toMatchObject({ status: "disabled", pid: null });

  const entities = [{ name: "Ben's cat", entityType: "cat", observations: ["is called Miso"] }];
  await call(ben, "memory", "create_entities", { entities });
  expect(await call(ben, "memory", "read_graph")).toContain("Miso");
  expect(await call(cleo, "memory", "read_graph")).not.toContain("Miso");
  expect(await readFile(join(folder, "people/ben/memory.jsonl"), "utf8")).toContain("Miso");
  expect(existsSync(join(folder, "memory.jsonl"))).toBe(false);

  // It outlives the process, and not its person.
  await ben.close();
  await statusIs(pool.of("ben"), "memory", "ready");
  expect(await call(pool.of("ben"), "memory", "read_graph")).toContain("Miso");
  const pid = pool.of("ben").server("memory")?.pid;
  await pool.forgetPerson("ben");
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(join(folder, "people/ben"))).toBe(false);
  await statusIs(pool.of("ben"), "memory", "ready");
  expect(await call(pool.of("ben"), "memory", "read_graph")).not.toContain("Miso");
});

test("files that are put there for one person's process lie in a folder of theirs, whose path no text discloses", async () => {
  const { pool, folder } = await startPool(
    { desk: { command: "npx", args: ["-y", "no-such-server"], disabled: true, scope: "user" } },
    { people },
  );
  const ben = pool.of("ben");
  expect(ben.fileRoots("desk")).toEqual([join(folder, "people/ben/servers/desk")]);
  expect(ben.server("desk")?.approvalForm.cwd).toBe(join(folder, "people/ben/servers/desk"));
  const named = await startPool({ desk: { ...own, cwd: `\${dataFolder}` } }, { people });
  expect(named.pool.of("ben").folders()).toContain(join(named.folder, "people/ben"));
  expect(named.pool.of("ben").folders()).not.toContain(named.folder);
});

test("as many processes run as may run at once: for the next person the longest idle one goes to sleep, and its next use starts it", async () => {
  const { pool } = await startPool({ desk: own }, { people, maxProcesses: 2 });
  const views = ["ben", "cleo", "dora"].map((person) => pool.of(person));
  const [ben, cleo, dora] = views as [McpPool, McpPool, McpPool];
  const count = (status: string) => views.filter((view) => view.server("desk")?.status === status).length;
  await vi.waitFor(() => expect([count("ready"), count("sleeping")]).toEqual([2, 1]), { timeout: 15_000 });
  const processes = new Set<number>();
  for (const view of [ben, cleo, dora, ben]) {
    expect(await call(view, "desk", "echo")).toContain("echo");
    processes.add(view.server("desk")?.pid ?? 0);
    expect(views.filter((each) => each.server("desk")?.pid).length).toBeLessThanOrEqual(2);
  }
  expect(processes.size).toBeGreaterThanOrEqual(3);
});

test("while all that may run are in use, the process of another person waits, says so in its log, and starts when there is room", async () => {
  const { pool } = await startPool({ desk: own }, { people, maxProcesses: 1 });
  const ben = pool.of("ben");
  await statusIs(ben, "desk", "ready");
  const waiting = call(ben, "desk", "wait", { ms: 1_500 });
  const cleo = pool.of("cleo");
  await statusIs(cleo, "desk", "connecting");
  await vi.waitFor(() =>
    expect(cleo.logs("desk").map(({ text }) => text)).toContainEqual(
      expect.stringContaining("as many local servers are in use as may run at once (1)"),
    ),
  );
  expect(cleo.server("desk")?.pid).toBeNull();
  await waiting;
  await statusIs(cleo, "desk", "ready");
});

test("the processes of a person end with their connections, also one that does not listen", async () => {
  const stubborn = { ...faulty("stubborn"), scope: "user" as const };
  const { pool } = await startPool({ desk: own, stubborn }, { people });
  const ben = pool.of("ben");
  for (const name of ["desk", "stubborn"]) await statusIs(ben, name, "ready");
  const pids = ["desk", "stubborn"].map((name) => ben.server(name)?.pid);
  expect(pids.map(isRunning)).toEqual([true, true]);
  // Who deletes a person waits for what somebody else has begun to end.
  const ending = pool.drop("ben");
  await pool.drop("ben");
  expect(pids.map(isRunning)).toEqual([false, false]);
  await ending;
});

test("who comes back while their process is still ending gets the next one after it, as both write into one folder", async () => {
  const { pool } = await startPool({ desk: { ...faulty("stubborn"), scope: "user" } }, { people });
  const ben = pool.of("ben");
  await statusIs(ben, "desk", "ready");
  const pid = ben.server("desk")?.pid;
  const dropped = pool.drop("ben");
  const again = pool.of("ben");
  await statusIs(again, "desk", "ready");
  expect(isRunning(pid)).toBe(false);
  await dropped;
});

test("processes that take long to start keep no connection of their person waiting", async () => {
  const remote = await listen(streamable().answer);
  onTestFinished(() => remote.close());
  const slow = { ...fixture("silent"), scope: "user" as const };
  const { pool } = await startPool(
    { a: slow, b: slow, c: slow, d: slow, desk: { url: remote.url } },
    { people, tuning: { timeoutMs: 60_000 } },
  );
  const ben = pool.of("ben");
  await statusIs(ben, "desk", "ready");
  expect(["a", "b", "c", "d"].map((name) => ben.server(name)?.status)).toEqual(Array(4).fill("connecting"));
});

test("of many people one at a time starts what has to be downloaded", async () => {
  const { folder } = await startPool({});
  const [bin, record] = [join(folder, "bin"), join(folder, "starts.txt")];
  await mkdir(bin);
  const { args = [] } = fixture("plain");
  // Downloads for a while, later until it does so six times, and is a server then.
  const download = `sleep 0.3\nwhile [ -e ${record}.six ] && [ $(grep -c begin ${record}) -lt 6 ]; do sleep 0.05; done`;
  const script = `#!/bin/sh\necho begin >> ${record}\n${download}\necho end >> ${record}\nexec ${process.execPath} ${args.join(" ")}\n`;
  await writeFile(join(bin, "npx"), script, { mode: 0o755 });
  const { pool } = await startPool(
    { desk: { command: "npx", args: ["-y", "some-server"], scope: "user" } },
    { people, env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder } },
  );
  const views = ["ben", "cleo", "dora"].map((person) => pool.of(person));
  for (const view of views) await statusIs(view, "desk", "ready");
  const lines = (await readFile(record, "utf8")).trim().split("\n");
  expect(lines).toEqual(["begin", "end", "begin", "end", "begin", "end"]);
  // Once it is here nobody waits for another one any more.
  await writeFile(`${record}.six`, "");
  const more = ["emil", "fay", "gil"].map((person) => pool.of(person));
  for (const view of more) await statusIs(view, "desk", "ready");
  const later = (await readFile(record, "utf8")).trim().split("\n").slice(lines.length);
  expect(later).toEqual(["begin", "begin", "begin", "end", "end", "end"]);
});

test("another scope needs no new approval, and ends what ran in the other one", async () => {
  const { pool, configPath } = await startPool({ desk: fixture("plain") }, { people });
  const ben = pool.of("ben");
  const release = pool.hold("ben");
  await statusIs(ben, "desk", "ready");
  const shared = ben.server("desk")?.pid;
  const write = async (entry: object) => {
    await writeFile(configPath, JSON.stringify({ mcpServers: { desk: entry } }));
  };
  await write(own);
  await vi.waitFor(() => expect(ben.server("desk")).toMatchObject({ scope: "user", status: "ready" }), {
    timeout: 15_000,
  });
  await vi.waitFor(() => expect(isRunning(shared)).toBe(false), { timeout: 5_000 });
  const { pid } = ben.server("desk") ?? {};
  await write(fixture("plain"));
  await vi.waitFor(() => expect(ben.server("desk")).toMatchObject({ scope: "shared", status: "ready" }), {
    timeout: 15_000,
  });
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 5_000 });
  release();
});

test("the one person of a host without accounts has the one process, and its data where they are", async () => {
  const { pool, folder, ready } = await startPool({ memory });
  const { scope } = await ready("memory");
  expect(scope).toBe("shared");
  await call(pool.of("local"), "memory", "create_entities", {
    entities: [{ name: "Miso", entityType: "cat", observations: [] }],
  });
  expect(await readFile(join(folder, "memory.jsonl"), "utf8")).toContain("Miso");
});
