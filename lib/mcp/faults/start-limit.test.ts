import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { common, fixture, openPool } from "@/lib/mcp/testing/test-pool";
import { InstallError, runsPackage, startLimit } from "./start-limit";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** An `npx` that waits until a file exists, as if it downloaded its package first, and then runs the command. */
async function withNpx(
  tuning: NonNullable<Parameters<typeof openPool>[1]>["tuning"],
  entry = common("begun-by-anything"),
  more: { initTimeout?: number } = {},
) {
  const bin = await mkdtemp(join(tmpdir(), "npx-"));
  const npx = join(bin, "npx");
  await writeFile(npx, `#!/bin/sh\nwhile [ ! -e "${bin}/fetched" ]; do sleep 0.05; done\nexec "$@"\n`);
  await chmod(npx, 0o755);
  const pool = await openPool(
    { slow: { command: "npx", args: [entry.command ?? "", ...(entry.args ?? [])], ...more } },
    {
      env: { PATH: [bin, process.env.PATH].join(delimiter) },
      // Limits that a test is not about are too long to matter.
      tuning: { installMs: 60_000, installNoticeMs: 50, timeoutMs: 20_000, ...tuning },
    },
  );
  closing.push(async () => {
    await pool.close();
    await rm(bin, { recursive: true, force: true });
  });
  return { ...pool, fetched: () => writeFile(join(bin, "fetched"), "") };
}

test("a package that has to be installed first may take longer than a server to answer, and the row says so", async () => {
  // The notice comes after the time in which other servers have to answer.
  const tuning = { timeoutMs: 1_500, installNoticeMs: 2_000 };
  const { until, ready, pool, fetched } = await withNpx(tuning, common("header-bridge"));
  await until(() => pool.server("slow")?.installing === true, "installing");
  expect(pool.server("slow")).toMatchObject({ status: "connecting", lastError: null });
  await fetched();
  expect(await ready("slow")).toMatchObject({ installing: false, tools: { length: 1 }, lastError: null });
});

describe("the limit of a start", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const times = { timeoutMs: 20_000, installMs: 300_000, installNoticeMs: 5_000 };
  const begin = (installs: boolean) => {
    const life = new AbortController();
    const said: boolean[] = [];
    return { life, said, limit: startLimit(times, installs, life.signal, (is) => said.push(is)) };
  };

  test("is that of an answer where nothing is installed", () => {
    const { limit, said } = begin(false);
    limit.onMessage();
    vi.advanceTimersByTime(19_999);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limit.signal.reason).toMatchObject({ name: "TimeoutError" });
    expect([said, limit.longestMs]).toEqual([[], 20_000]);
  });

  test("is that of installing until the first message, and counts anew from there", () => {
    const { limit, said } = begin(true);
    vi.advanceTimersByTime(4_999);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(295_000);
    expect([said, limit.signal.aborted]).toEqual([[true], false]);
    limit.onMessage();
    expect(said).toEqual([true, false]);
    vi.advanceTimersByTime(10_000);
    limit.onMessage();
    vi.advanceTimersByTime(9_999);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limit.signal.reason).toMatchObject({ name: "TimeoutError" });
  });

  test("ends a package from which nothing comes", () => {
    const { limit } = begin(true);
    vi.advanceTimersByTime(300_000);
    expect(limit.signal.reason).toBeInstanceOf(InstallError);
    expect(limit.signal.reason).toMatchObject({ seconds: 300 });
  });

  test("ends with the server, and counts no more once the start is over", () => {
    const { limit, life } = begin(true);
    life.abort("off");
    expect(limit.signal.reason).toBe("off");
    const other = begin(true);
    other.limit.end();
    vi.advanceTimersByTime(300_000);
    expect([other.limit.signal.aborted, vi.getTimerCount()]).toEqual([false, 0]);
  });
});

test("installing has an end too, and says what to do", async () => {
  const { until, pool } = await withNpx({ installMs: 400 });
  await until(() => pool.server("slow")?.lastError !== null, "a fault");
  expect(pool.server("slow")).toMatchObject({
    installing: false,
    lastError: { code: "timeout", message: expect.stringContaining("could not be installed in that time") },
  });
});

test("a limit of the entry's own counts, for installing and for what needs none", async () => {
  const { until, pool } = await withNpx({}, undefined, { initTimeout: 300 });
  await until(() => pool.server("slow")?.lastError !== null, "a fault");
  expect(pool.server("slow")?.lastError?.code).toBe("timeout");
  const plain = await openPool(
    { silent: { ...fixture("silent"), initTimeout: 300 } },
    { tuning: { timeoutMs: 60_000 } },
  );
  closing.push(() => plain.close());
  await plain.until(() => plain.pool.server("silent")?.lastError !== null, "a fault");
  expect(plain.pool.server("silent")?.lastError?.message).toContain('set "initTimeout"');
});

test("once it has said something, a package has as long as any other server", async () => {
  const { until, pool, fetched } = await withNpx({ timeoutMs: 500 }, common("falls-silent"));
  await fetched();
  await until(() => pool.server("slow")?.lastError !== null, "a fault");
  expect(pool.server("slow")?.lastError?.message).toContain("was started but did not answer in time");
});

test.each([
  ["npx", ["-y", "x"], true],
  ["/usr/bin/npx", [], true],
  ["C:\\node\\npx.cmd", [], true],
  ["npm", ["exec", "x"], true],
  ["npm", ["--silent", "x", "y"], true],
  ["npm", ["start"], false],
  ["uv", ["tool", "run", "x"], true],
  ["docker", ["run", "-i", "x"], true],
  ["docker", ["exec", "x"], false],
  ["node", ["npx"], false],
  ["constructor", ["x"], false],
])("%s %j may have to fetch what it runs: %s", (command, args, expected) => {
  expect(runsPackage({ command, args })).toBe(expected);
});
