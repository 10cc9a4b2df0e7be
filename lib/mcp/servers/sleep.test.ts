import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import { askedCall } from "@/lib/mcp/testing/asked-call";
import { listen, streamable } from "@/lib/mcp/testing/http-server";
import { startPool } from "@/lib/mcp/testing/start-pool";
import { fixture, npmServer, processesWith, root, type TestPool, textOf } from "@/lib/mcp/testing/test-pool";

const idle = (idleMs: number) => ({ tuning: { idleMs } });
const asleep = ({ pool, until }: TestPool, name: string) =>
  until(() => pool.server(name)?.status === "sleeping", `${name} to sleep`);
/** The process ends a moment after the state has changed. */
const gone = (marker: string) => expect.poll(() => processesWith(marker), { timeout: 5_000 }).toEqual([]);
const starts = ({ pool }: TestPool, name: string) =>
  pool.logs(name).filter(({ source, text }) => source === "host" && text.startsWith("Starting ")).length;
const live = () => AbortSignal.timeout(10_000);

test("what nobody uses ends its process and stays listed, and a call starts it and is answered", async () => {
  const marker = `sleeper-${randomUUID()}`;
  const at = await startPool({ plain: fixture("plain", marker) }, idle(200));
  const { pool, run } = at;
  const before = await at.ready("plain");
  await asleep(at, "plain");
  await gone(marker);
  expect(pool.server("plain")).toMatchObject({
    ...{ status: "sleeping", enabled: true, pid: null, lastError: null, era: "legacy" },
    ...{ tools: before.tools, protocolVersion: before.protocolVersion, instructions: "Be kind to plain." },
  });
  expect(pool.instructions()).toEqual([{ server: "plain", text: "Be kind to plain." }]);
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  expect(box.list().map(({ name }) => name)).toEqual(["plain__echo", "plain__environment", "plain__wait"]);
  expect(await pool.toolWhenReady("plain__echo", live())).toMatchObject({ item: { definition: "pinned" } });
  expect(starts(at, "plain")).toBe(1);

  expect(textOf((await run("plain__echo", { a: 1 })).result)).toBe('echo {"a":1}');
  expect(pool.server("plain")).toMatchObject({ status: "ready", pid: expect.any(Number) });
  expect(starts(at, "plain")).toBe(2);
  await asleep(at, "plain");
});

test("many calls at once wake it once, from several runs and by hand", async () => {
  const marker = `woken-${randomUUID()}`;
  const at = await startPool({ plain: fixture("plain", marker) }, idle(300));
  await at.ready("plain");
  await asleep(at, "plain");
  await gone(marker);
  const calls = Array.from({ length: 10 }, (_, index) => at.run("plain__wait", { ms: 100, index }));
  const byHand = at.pool.call("plain", "echo", {}, live());
  expect(at.pool.server("plain")).toMatchObject({ status: "connecting", tools: { length: 3 } });
  const results = await Promise.all(calls);
  expect(results.map(({ result }) => result.status)).toEqual(Array(10).fill("ok"));
  expect(await byHand).toMatchObject({ status: "ok" });
  expect(starts(at, "plain")).toBe(2);
});

test("the start counts not against the time of the call", async () => {
  const slow = join(await mkdtemp(join(tmpdir(), "mcp-sleep-")), "slow");
  const pause = `import { existsSync } from "node:fs"; if (existsSync(${JSON.stringify(slow)})) await new Promise((go) => setTimeout(go, 2_000));`;
  const plain = fixture("plain");
  const args = ["--import", `data:text/javascript,${encodeURIComponent(pause)}`, ...(plain.args ?? [])];
  const at = await startPool({ plain: { ...plain, args, timeout: 1_500 } }, idle(100));
  await at.ready("plain");
  await asleep(at, "plain");
  writeFileSync(slow, "");
  expect((await at.run("plain__echo")).result.status).toBe("ok");
});

test("a server that falls asleep as fast as it can never costs a call", async () => {
  const at = await startPool({ plain: fixture("plain") }, idle(0));
  await at.until(() => at.pool.server("plain")?.tools.length === 3);
  for (let round = 0; round < 12; round++) {
    const calls = Array.from({ length: (round % 3) + 1 }, () => at.run("plain__wait", { ms: round }));
    for (const { result } of await Promise.all(calls)) expect(result.status).toBe("ok");
    if (round % 2) await wait(round);
  }
  expect(starts(at, "plain")).toBeGreaterThan(2);
});

/** Puts another server to sleep: a server that was last used at the same time, and could sleep, would be asleep then too. */
async function sleepBeside(at: TestPool): Promise<void> {
  await at.until((pool) => pool.tool("clock__echo") !== undefined);
  expect((await at.run("clock__echo")).result.status).toBe("ok");
  await asleep(at, "clock");
}
const clock = fixture("plain", "clock");

test("a call in flight holds it awake", async () => {
  const desk = { command: "node", args: [join(root, "lib/mcp/testing/asking-server.mjs")] };
  const at = await startPool({ desk, clock }, idle(100));
  const end = join(at.folder, "end");
  await at.until((pool) => pool.tool("desk__work") !== undefined);
  const running = at.run("desk__work", { after: end });
  const { pid } = await at.ready("desk");
  await sleepBeside(at);
  expect(at.pool.server("desk")).toMatchObject({ status: "ready", pid });
  await expect(at.pool.sleep("desk")).rejects.toMatchObject({ code: "not_ready" });
  writeFileSync(end, "");
  expect((await running).result.status).toBe("ok");
  await asleep(at, "desk");
});

test("so does what is being read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mcp-reading-"));
  const end = join(folder, "end");
  const at = await startPool({ library: fixture("library", end), clock }, idle(100));
  await at.until(() => at.pool.library.resources().length === 1);
  await asleep(at, "library");
  const reading = at.pool.library.readResource("library", "book://one", live());
  const { pid } = await at.ready("library");
  await sleepBeside(at);
  expect(at.pool.server("library")).toMatchObject({ status: "ready", pid });
  writeFileSync(end, "");
  expect(await reading).toMatchObject([{ type: "text", text: "Once upon a time" }]);
  await asleep(at, "library");
});

test("so does a resource that somebody watches", async () => {
  const at = await startPool({ everything: npmServer("server-everything"), clock }, idle(100));
  await asleep(at, "everything");
  const end = new AbortController();
  const uri = "demo://resource/dynamic/text/1";
  const watching = at.pool.library.watchResource("everything", uri, end.signal, () => {});
  const { pid } = await at.ready("everything");
  await sleepBeside(at);
  expect(at.pool.server("everything")).toMatchObject({ status: "ready", pid });
  end.abort();
  await watching;
  await asleep(at, "everything");
});

test("a remote server is never put to sleep, nor is one that is being listed", async () => {
  const remote = await listen(streamable().answer);
  const at = await startPool({ remote: { url: remote.url }, undecided: fixture("undecided") });
  try {
    await Promise.all([at.ready("remote"), at.ready("undecided")]);
    await at.until(() => at.pool.server("undecided")?.status === "ready");
    await at.run("undecided__change");
    for (const name of ["remote", "undecided"]) {
      await expect(at.pool.sleep(name), name).rejects.toMatchObject({ code: "not_ready" });
      expect(at.pool.server(name)?.status).toBe("ready");
    }
  } finally {
    await remote.close();
  }
});

const tasks = (file: string) => ({
  command: "node",
  args: [join(root, "lib/mcp/testing/task-server.mjs"), file],
});
test.each([
  ["call", "everything__trigger-elicitation-request", { name: "Ada" }, "Ada"],
  ["task", "desk__patient", { which: "the blue one" }, "the blue one"],
] as const)("so does a question of a %s that waits for a person", async (_kind, tool, content, expected) => {
  const [name = ""] = tool.split("__");
  const at = await startPool({}, idle(100));
  const file = join(at.folder, "tasks.json");
  await at.pool.file.add({ [name]: name === "desk" ? tasks(file) : npmServer("server-everything") });
  await at.pool.file.approve(name, at.pool.server(name)?.approvalHash ?? "");
  await at.until(() => (at.pool.server(name)?.tools.length ?? 0) > 0);
  const { run, answer } = askedCall(at.pool, tool);
  expect(await run()).toEqual({ waiting: "awaiting_input" });
  const { pid } = at.pool.server(name) ?? {};
  await wait(1_000);
  expect(at.pool.server(name)).toMatchObject({ status: "ready", pid });
  answer({ input: { action: "accept", content } });
  expect(JSON.stringify(await run())).toContain(expected);
  await asleep(at, name);
});

test("prompts and resources stay listed, and reading, completing and a prompt wake it", async () => {
  const at = await startPool({ everything: npmServer("server-everything") }, idle(100));
  const { library } = at.pool;
  await asleep(at, "everything");
  expect(library.prompts()).toHaveLength(4);
  expect(library.resources()).toHaveLength(7);
  expect(library.templates().length).toBeGreaterThan(0);
  expect(at.pool.server("everything")).toMatchObject({ prompts: 4, resources: 7 });
  expect(await library.readResource("everything", "demo://resource/dynamic/text/1", live())).toHaveLength(1);
  await asleep(at, "everything");
  const { messages } = await library.getPrompt("everything", "args-prompt", { city: "Kyoto" }, live());
  expect(JSON.stringify(messages)).toContain("Kyoto");
  await asleep(at, "everything");
  const ref = { type: "prompt" as const, name: "completable-prompt" };
  const request = { ref, argument: { name: "department", value: "S" } };
  expect((await library.complete("everything", request, live())).values).toEqual(["Sales", "Support"]);
  expect(starts(at, "everything")).toBe(4);
});

test("a tool that has another definition after the sleep is not called", async () => {
  const at = await startPool({}, idle(200));
  const marker = join(at.folder, "shifted");
  await at.pool.file.add({ shifter: fixture("shifter", marker) });
  await at.pool.file.approve("shifter", at.pool.server("shifter")?.approvalHash ?? "");
  await asleep(at, "shifter");
  writeFileSync(marker, "");
  const { result } = await at.run("shifter__act");
  expect([result.status, textOf(result)]).toEqual([
    "error",
    "Not run: its definition changed after it was checked; ask again.",
  ]);
  expect(at.pool.logs("shifter").filter(({ text }) => text.includes("tools/call"))).toEqual([]);
  expect(at.pool.tool("shifter__act")?.item.definition).toBe("changed");
  await asleep(at, "shifter");
  expect(at.pool.tool("shifter__act")?.item.definition).toBe("changed");
});

test("a server that does not wake says why, and its tools are gone", async () => {
  const at = await startPool({}, idle(200));
  const broken = join(at.folder, "broken");
  await at.pool.file.add({ frail: fixture("frail", broken) });
  await at.pool.file.approve("frail", at.pool.server("frail")?.approvalHash ?? "");
  // It may have been ready and be asleep by now.
  await asleep(at, "frail");
  writeFileSync(broken, "");
  const { result } = await at.run("frail__echo");
  expect(result.status).toBe("error");
  expect(textOf(result)).toBe(
    "Not run: frail could not be started. The server ended with exit code 4. It said: lost its footing",
  );
  expect(at.pool.server("frail")).toMatchObject({ status: "failed", tools: [] });
});

test("restart, off and on, removal and another form do while it sleeps what they do else", async () => {
  const at = await startPool({ plain: fixture("plain", "one"), other: fixture("plain") }, idle(200));
  const { pool } = at;
  await asleep(at, "plain");
  await pool.restart("plain");
  expect(pool.server("plain")).toMatchObject({ status: "connecting", tools: [] });
  await at.ready("plain");
  await asleep(at, "plain");

  await pool.file.edit("plain", (stored) => ({ ...stored, disabledTools: ["wait"] }));
  expect(pool.server("plain")).toMatchObject({ status: "sleeping", tools: { length: 3 } });
  expect((await at.run("plain__wait")).result.status).toBe("error");
  expect(pool.server("plain")?.status).toBe("sleeping");

  await pool.file.edit("plain", (stored) => ({ ...stored, disabled: true }));
  expect(pool.server("plain")).toMatchObject({ status: "disabled", tools: [] });
  expect((await at.run("plain__echo")).result.status).toBe("error");
  expect(pool.server("plain")?.status).toBe("disabled");
  await pool.file.edit("plain", ({ disabled: _, ...stored }) => stored);
  await asleep(at, "plain");

  await pool.file.edit("plain", (stored) => ({ ...stored, args: [...(stored.args ?? []), "two"] }));
  expect(pool.server("plain")).toMatchObject({ status: "needs_approval", tools: [] });
  await pool.file.approve("plain", pool.server("plain")?.approvalHash ?? "");
  await asleep(at, "plain");
  expect(pool.server("plain")?.tools).toHaveLength(3);

  await asleep(at, "other");
  await pool.file.remove("other");
  expect(pool.server("other")).toBeUndefined();
  expect((await at.run("other__echo")).result.status).toBe("error");
});

test.each(["before", "while"])(
  "closing the pool %s a server is woken leaves no process behind",
  async (when) => {
    const marker = `closing-${randomUUID()}`;
    const at = await startPool({ plain: fixture("plain", marker) }, idle(100));
    await asleep(at, "plain");
    await gone(marker);
    const running = at.run("plain__wait", { ms: 5_000 });
    if (when === "while") await at.until(() => processesWith(marker).length > 0);
    await at.pool.close();
    expect((await running).result.status).not.toBe("ok");
    expect(processesWith(marker)).toEqual([]);
  },
);
