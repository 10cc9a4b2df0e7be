import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import type { StepChunk } from "@/lib/protocol/chunk";
import { faulty, fixture, openPool, processesWith, type TestPool, textOf } from "./testing/test-pool";

const open: TestPool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
});
/** A healthy server that must not be affected by the faulty ones. */
const start = async (servers: Parameters<typeof openPool>[0], options?: Parameters<typeof openPool>[1]) => {
  const pool = await openPool({ plain: fixture("plain"), ...servers }, options);
  open.push(pool);
  const { pid } = await pool.ready("plain");
  const undisturbed = async () => {
    expect(pool.pool.server("plain")).toMatchObject({ status: "ready", pid });
    expect(textOf((await pool.run("plain__echo")).result)).toBe("echo {}");
  };
  return { ...pool, undisturbed };
};
const logOf = ({ pool }: Pick<TestPool, "pool">, name: string) => pool.logs(name).map(({ text }) => text);
const isProgress = ({ type }: StepChunk) => type === "tool_progress";

test("of two tools of one name the first counts, and the log says so", async () => {
  const all = await start({ twice: faulty("twice") });
  const { tools } = await all.ready("twice");
  expect(tools.map(({ name, description }) => [name, description])).toEqual([["same", "The first."]]);
  expect(logOf(all, "twice")).toContain("The tool same is listed twice; the first counts.");
  expect(textOf((await all.run("twice__same")).result)).toBe("called same");
});

test("lists of 9 MB a page, without end, are cut off by their size, and take no more memory than that", async () => {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  const all = await start({ wide: faulty("wide") });
  const { tools, toolFaults } = await all.ready("wide");
  expect(tools.length).toBeLessThan(90);
  expect(toolFaults).toEqual([
    `The answer to tools/list is longer than 8 MB; the first ${tools.length} entries count.`,
  ]);
  await all.until(() =>
    logOf(all, "wide").some((line) => line.startsWith("The answer to resources/templates")),
  );
  await all.until(({ library }) => library.prompts().length > 0);
  clearInterval(watch);
  for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"])
    expect(logOf(all, "wide").filter((line) => line.startsWith(`→ ${method}`)).length, method).toBe(1);
  // Four pages and the memory to read them; 64 of each would be 2.3 GB.
  expect((peak - before) / 1024 / 1024).toBeLessThan(400);
  await all.undisturbed();
});

test("progress without end does not keep a call alive without end", async () => {
  const { ready, run, undisturbed } = await start(
    { endless: { ...faulty("progress"), timeout: 1_000 } },
    { tuning: { longestCallMs: 3_000 } },
  );
  await ready("endless");
  const { result, chunks } = await run("endless__drip");
  expect(result.status).toBe("unknown");
  expect(textOf(result)).toBe("endless was still at work after 3 s and was told to stop.");
  expect(chunks.filter(isProgress).length).toBeGreaterThan(2);
  expect(textOf((await run("endless__echo")).result)).toBe("cancelled 1");
  await undisturbed();
});

test("a flood of progress becomes a few chunks, and Stop ends it", async () => {
  const { ready, pool, undisturbed } = await start({ flood: faulty("progress") });
  await ready("flood");
  const stop = new AbortController();
  const chunks: StepChunk[] = [];
  const { InFlightCalls } = await import("./calls/in-flight-calls");
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  const third = Promise.withResolvers<void>();
  const began = performance.now();
  const call = box.call(
    { type: "tool_call", id: "call-1" as never, name: "flood__flood", args: {} },
    {
      signal: stop.signal,
      emit: async (chunk) => {
        if (chunks.push(chunk) === 4) third.resolve();
      },
    },
  );
  await third.promise;
  await undisturbed();
  stop.abort();
  expect(await call).toMatchObject({ status: "unknown" });
  // Ten in a second, the first at once and the last at the end.
  const most = (performance.now() - began) / 100 + 2;
  expect(chunks.filter(isProgress).length).toBeLessThanOrEqual(most);
});

test("a storm of notifications leaves the server usable, its log short, and the others alone", async () => {
  const all = await start({ storm: faulty("notifications") });
  await all.ready("storm");
  const stop = new AbortController();
  const storm = all.run("storm__storm", {}, stop.signal);
  await expect.poll(() => logOf(all, "storm")).toContainEqual(expect.stringMatching(/^← log: /));
  stop.abort();
  expect((await storm).result.status).toBe("unknown");
  // Their answers come after all that noise.
  for (const { result } of [await all.run("storm__echo"), await all.run("storm__echo")])
    expect(textOf(result)).toBe("above the noise");
  expect(all.pool.logs("storm").length).toBeLessThanOrEqual(1_000);
  await all.undisturbed();
});

test("a result of 100 MB ends the server that sends it, which comes back", async () => {
  const all = await start({ big: faulty("big") });
  const { pid } = await all.ready("big");
  const { result } = await all.run("big__big");
  expect(result.status).toBe("unknown");
  expect(logOf(all, "big")).toContain("Stopped: it sent a message of more than 10 MB.");
  await all.until((pool) => pool.server("big")?.status === "ready" && pool.server("big")?.pid !== pid);
  expect(textOf((await all.run("big__echo")).result)).toBe("small");
  await all.undisturbed();
});

test("a server that chatters on stdout is understood all the same", async () => {
  const all = await start({ chatter: faulty("chatter") });
  await all.ready("chatter");
  expect(textOf((await all.run("chatter__echo")).result)).toBe("hello");
  expect(all.pool.logs("chatter").length).toBeLessThanOrEqual(1_000);
  await all.undisturbed();
});

test("a line without end ends its server, and after five of them for good", async () => {
  const all = await start({ unbroken: faulty("unbroken") });
  await all.until((pool) => pool.server("unbroken")?.lastError?.code === "crash_loop");
  expect(logOf(all, "unbroken")).toContain("Stopped: it sent a message of more than 10 MB.");
  await all.undisturbed();
});

test("a server that ends in the middle of its answer is asked no second time, and comes back", async () => {
  const all = await start({ half: faulty("half-answer") });
  await all.ready("half");
  const { result } = await all.run("half__half");
  expect(result.status).toBe("unknown");
  expect(textOf(result)).toBe("half ended with exit code 0 while the call was on its way.");
  expect(logOf(all, "half").filter((line) => line.includes("→ tools/call half"))).toHaveLength(1);
  await all.until((pool) => pool.server("half")?.status === "ready");
  expect(textOf((await all.run("half__echo")).result)).toBe("alive");
});

test("an answer that comes after the deadline is nobody's", async () => {
  const all = await start({ late: { ...faulty("late"), timeout: 200 } });
  const { pid } = await all.ready("late");
  expect((await all.run("late__late")).result.status).toBe("unknown");
  await expect
    .poll(() => logOf(all, "late"))
    .toContainEqual(expect.stringContaining("response for an unknown message ID"));
  expect(textOf((await all.run("late__echo")).result)).toBe("echo");
  expect(all.pool.server("late")).toMatchObject({ status: "ready", pid });
});

test("calls to a server that reads no more end at their deadline", async () => {
  const all = await start({ stuck: { ...faulty("stuck"), timeout: 300 } });
  await all.ready("stuck");
  expect(textOf((await all.run("stuck__stick")).result)).toBe("stuck now");
  const args = { text: "x".repeat(300_000) }; // more than the pipe holds
  const calls = await Promise.all([1, 2, 3].map(() => all.run("stuck__echo", args)));
  for (const { result } of calls) {
    expect(result.status).toBe("unknown");
    expect(textOf(result)).toBe("stuck did not answer within 0.3 s and was told to stop.");
  }
  await all.undisturbed();
  await all.pool.restart("stuck");
  await all.until((pool) => pool.server("stuck")?.status === "ready");
  expect(textOf((await all.run("stuck__echo")).result)).toBe("alive");
});

test("a server that will not end is replaced without anybody waiting for it", async () => {
  const marker = randomUUID();
  const all = await start({ stubborn: faulty("stubborn", marker) });
  const { pid } = await all.ready("stubborn");
  await all.pool.restart("stubborn");
  expect(all.pool.server("stubborn")).toMatchObject({ status: "connecting", tools: [] });
  await all.undisturbed();
  await all.until((pool) => pool.server("stubborn")?.status === "ready");
  expect(all.pool.server("stubborn")?.pid).not.toBe(pid);
  expect(textOf((await all.run("stubborn__echo")).result)).toBe("hello");
  await all.pool.file.remove("stubborn");
  expect(processesWith(marker)).toEqual([]);
});

test("a server that is given up while it connects leaves no process", async () => {
  const marker = randomUUID();
  const all = await start({ silent: fixture("silent", marker) }, { tuning: { timeoutMs: 1_500 } });
  await all.settled("silent");
  await all.pool.file.edit("silent", (config) => ({ ...config, disabled: true }));
  await all.pool.file.remove("silent");
  expect(processesWith(marker)).toEqual([]);
  await all.undisturbed();
});

test("a log that cannot be written does not keep a server from being started again", async () => {
  let fault: Error | undefined = new Error("The disk is full.");
  const log = (level: string) => {
    if (level === "warn" && fault) throw fault;
  };
  const all = await start({ gone: { command: "no-such-command" } }, { log });
  expect(await all.settled("gone")).toMatchObject({ status: "failed", lastError: { code: "internal" } });
  fault = undefined;
  await all.pool.restart("gone");
  await all.until((pool) => pool.server("gone")?.lastError?.code === "command_not_found");
  await all.undisturbed();
});

test("however many runs there are, and whatever they call at once, a server is one process", async () => {
  const marker = randomUUID();
  const all = await start({ shared: faulty("echo", marker) });
  await all.ready("shared");
  const one = processesWith(marker);
  const results = await Promise.all(Array.from({ length: 40 }, () => all.run("shared__echo")));
  expect(new Set(results.map(({ result }) => textOf(result)))).toEqual(new Set(["hello"]));
  all.pool.list();
  expect(processesWith(marker)).toEqual(one);
});
