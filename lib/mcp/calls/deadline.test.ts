import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startDeadline } from "./deadline";

const minute = 60_000;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const start = () => startDeadline(minute, new AbortController().signal, 10 * minute);

test("neither time runs while a person is asked, and both go on when they have answered", () => {
  const deadline = start();
  vi.advanceTimersByTime(minute / 2);
  const goOn = deadline.hold();
  vi.advanceTimersByTime(60 * minute);
  expect([deadline.expired, deadline.signal.aborted]).toEqual([false, false]);
  goOn();
  vi.advanceTimersByTime(minute - 1);
  expect(deadline.expired).toBe(false);
  vi.advanceTimersByTime(1);
  expect([deadline.expired, deadline.signal.aborted]).toEqual(["silent", true]);
});

test("progress starts the time again, up to the hard limit", () => {
  const deadline = start();
  for (let at = 0; at < 19; at++) {
    vi.advanceTimersByTime(minute / 2);
    deadline.touch();
  }
  expect(deadline.expired).toBe(false);
  vi.advanceTimersByTime(minute / 2);
  expect(deadline.expired).toBe("endless");
});

test("a server that asks again and again gains no time by it", () => {
  const deadline = start();
  for (let round = 0; round < 19; round++) {
    vi.advanceTimersByTime(minute / 2);
    const [one, other] = [deadline.hold(), deadline.hold()];
    vi.advanceTimersByTime(60 * minute);
    one();
    other();
  }
  expect(deadline.expired).toBe(false);
  vi.advanceTimersByTime(minute / 2);
  expect(deadline.expired).toBe("endless");
});

test("with two questions open the time goes on after the second answer", () => {
  const deadline = start();
  const [one, other] = [deadline.hold(), deadline.hold()];
  one();
  vi.advanceTimersByTime(60 * minute);
  expect(deadline.expired).toBe(false);
  other();
  vi.advanceTimersByTime(minute);
  expect(deadline.expired).toBe("silent");
});

test("a person who does not answer for a day does not answer", () => {
  const deadline = start();
  deadline.hold();
  vi.advanceTimersByTime(24 * 60 * minute - 1);
  expect(deadline.expired).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.expired).toBe("silent");
});
