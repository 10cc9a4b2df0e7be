import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Uses } from "./usage-tracker";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const idleMs = 1_000;
const dayMs = 24 * 60 * 60_000;

function watch() {
  const told: string[] = [];
  const uses = new Uses(idleMs, { freed: () => told.push("freed"), idle: () => told.push("idle") });
  return { uses, told };
}

test("a server is idle when its time has gone by since the last of all uses", () => {
  const { uses, told } = watch();
  uses.startClock();
  vi.advanceTimersByTime(idleMs - 1);
  const [first, second] = [uses.begin(), uses.begin()];
  vi.advanceTimersByTime(10 * idleMs);
  first();
  expect([uses.any, told]).toEqual([true, []]);
  vi.advanceTimersByTime(10 * idleMs);
  second();
  expect([uses.any, told, uses.since]).toEqual([false, ["freed"], performance.now()]);
  vi.advanceTimersByTime(idleMs - 1);
  expect(told).toEqual(["freed"]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["freed", "idle"]);
});

test("a clock that begins in the middle of a use does not tire the server", () => {
  const { uses, told } = watch();
  uses.begin();
  uses.startClock();
  vi.advanceTimersByTime(10 * idleMs);
  expect(told).toEqual([]);
});

test("a clock that was stopped says nothing, and a new one begins from the start", () => {
  const { uses, told } = watch();
  uses.startClock();
  uses.stopClock();
  vi.advanceTimersByTime(10 * idleMs);
  expect(told).toEqual([]);
  uses.startClock();
  vi.advanceTimersByTime(idleMs - 1);
  uses.startClock();
  vi.advanceTimersByTime(idleMs - 1);
  expect(told).toEqual([]);
});

test("a call that waits for a person holds the server awake once, until it goes on", () => {
  const { uses, told } = watch();
  uses.expect("a");
  uses.expect("a");
  uses.expect("b");
  vi.advanceTimersByTime(10 * idleMs);
  uses.goOn("a");
  uses.goOn("a");
  uses.goOn("unknown");
  expect(uses.any).toBe(true);
  uses.goOn("b");
  expect(uses.any).toBe(false);
  vi.advanceTimersByTime(idleMs);
  expect(told.at(-1)).toBe("idle");
});

test("for a day at most, or until the process is gone", () => {
  const { uses } = watch();
  uses.expect("a");
  vi.advanceTimersByTime(dayMs - 1);
  expect(uses.any).toBe(true);
  vi.advanceTimersByTime(1);
  expect(uses.any).toBe(false);
  uses.expect("b");
  uses.expect("c");
  uses.forget();
  expect(uses.any).toBe(false);
});
