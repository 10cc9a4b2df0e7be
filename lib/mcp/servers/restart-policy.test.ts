import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RestartPolicy } from "./restart-policy";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const fault = { code: "exited", message: "It ended." };
/** The pauses after failures with these times in between, in ms, of connections that lasted this long. */
const after = (policy: RestartPolicy, pauses: readonly number[], livedMs = 0) =>
  pauses.map((pause) => {
    vi.advanceTimersByTime(pause);
    const told = policy.after(fault);
    return told.final ? told.code : policy.pause(livedMs);
  });

test("the waits double, up to half a minute", () => {
  const policy = new RestartPolicy(500, false);
  expect(after(policy, Array<number>(8).fill(0))).toEqual([
    ...[500, 1_000, 2_000, 4_000, 8_000, 16_000],
    ...[30_000, 30_000],
  ]);
});

test("after a connection that held for more than half a minute the waits begin again", () => {
  const policy = new RestartPolicy(500, false);
  expect(after(policy, [0, 0, 0])).toEqual([500, 1_000, 2_000]);
  expect(after(policy, [0], 30_000)).toEqual([4_000]);
  expect(after(policy, [0, 0], 30_001)).toEqual([500, 500]);
  expect(after(policy, [0])).toEqual([1_000]);
});

test("the fifth failure within two minutes is the last, and says so", () => {
  const policy = new RestartPolicy(500, true);
  expect(after(policy, [0, 30_000, 30_000, 30_000])).toEqual([500, 1_000, 2_000, 4_000]);
  vi.advanceTimersByTime(29_999);
  expect(policy.after(fault)).toEqual({
    code: "crash_loop",
    message:
      "It failed 5 times within 2 minutes and is not restarted automatically. It ended. Fix it, then restart it.",
    final: true,
  });
});

test("the last words of a server end as a sentence before the next one begins", () => {
  const policy = new RestartPolicy(500, true);
  after(policy, [0, 0, 0, 0]);
  const said = { ...fault, message: "It ended. It said: FIGMA_TOKEN is not set" };
  expect(policy.after(said).message).toMatch(/FIGMA_TOKEN is not set\. Fix it, then restart it\.$/);
});

test("a failure that is two minutes old does not count, however many there were before", () => {
  const policy = new RestartPolicy(500, true);
  expect(after(policy, Array<number>(12).fill(30_000))).not.toContain("crash_loop");
  expect(after(policy, [29_999])).toEqual(["crash_loop"]);
});

test("failures count also where the connection held for a while, and for ever only of a local server", () => {
  expect(after(new RestartPolicy(500, true), Array<number>(5).fill(1_000), 60_000)).toEqual([
    ...[500, 500, 500, 500],
    "crash_loop",
  ]);
  expect(after(new RestartPolicy(500, false), Array<number>(50).fill(0))).not.toContain("crash_loop");
});

test("what is final is not tried again", () => {
  const final = { ...fault, final: true };
  expect(new RestartPolicy(500, true).after(final)).toEqual(final);
});
