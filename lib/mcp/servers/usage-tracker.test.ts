import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UsageTracker } from "./usage-tracker";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const idleMs = 1_000;
const dayMs = 24 * 60 * 60_000;

function watch() {
  const told: string[] = [];
  const usage = new UsageTracker(idleMs, {
    onReleased: () => told.push("released"),
    onIdle: () => told.push("idle"),
  });
  return { usage, told };
}

test("a server is idle when its time has gone by since the last of all uses", () => {
  const { usage, told } = watch();
  usage.restartClock();
  vi.advanceTimersByTime(idleMs - 1);
  const [first, second] = [usage.begin(), usage.begin()];
  vi.advanceTimersByTime(10 * idleMs);
  first();
  expect([usage.inUse, told]).toEqual([true, []]);
  vi.advanceTimersByTime(10 * idleMs);
  second();
  expect([usage.inUse, told, usage.idleSince]).toEqual([false, ["released"], performance.now()]);
  vi.advanceTimersByTime(idleMs - 1);
  expect(told).toEqual(["released"]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["released", "idle"]);
});

test("a clock that begins in the middle of a use does not put the server to sleep", () => {
  const { usage, told } = watch();
  usage.begin();
  usage.restartClock();
  vi.advanceTimersByTime(10 * idleMs);
  expect(told).toEqual([]);
});

test("a clock that was stopped says nothing, and a new one begins from the start", () => {
  const { usage, told } = watch();
  usage.restartClock();
  usage.reset();
  vi.advanceTimersByTime(10 * idleMs);
  expect(told).toEqual([]);
  usage.restartClock();
  vi.advanceTimersByTime(idleMs - 1);
  usage.restartClock();
  vi.advanceTimersByTime(idleMs - 1);
  expect(told).toEqual([]);
});

test("a call that waits for a person holds the server awake once, until it is sent again", () => {
  const { usage, told } = watch();
  usage.hold("a");
  usage.hold("a");
  usage.hold("b");
  vi.advanceTimersByTime(10 * idleMs);
  usage.release("a");
  usage.release("a");
  usage.release("unknown");
  expect(usage.inUse).toBe(true);
  usage.release("b");
  expect(usage.inUse).toBe(false);
  vi.advanceTimersByTime(idleMs);
  expect(told.at(-1)).toBe("idle");
});

test("for a day at most, or until the process is gone", () => {
  const { usage } = watch();
  usage.hold("a");
  vi.advanceTimersByTime(dayMs - 1);
  expect(usage.inUse).toBe(true);
  vi.advanceTimersByTime(1);
  expect(usage.inUse).toBe(false);
  usage.hold("b");
  usage.hold("c");
  usage.reset();
  expect(usage.inUse).toBe(false);
});
