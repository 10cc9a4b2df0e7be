import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { oncePerFrame } from "./frame";

const frameMs = 16;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", (look: () => void) => setTimeout(look, frameMs));
  vi.stubGlobal("cancelAnimationFrame", clearTimeout);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Asks at each ms for so long; returns how often it was flushed. */
function askFor(ms: number, flush: () => void = () => {}): number {
  const flushed = vi.fn(flush);
  const frame = oncePerFrame(flushed);
  for (let at = 0; at < ms; at++) {
    frame.ask();
    vi.advanceTimersByTime(1);
  }
  frame.cancel();
  return flushed.mock.calls.length;
}

test("what comes after a pause is shown in the next frame, and all that comes until then with it", () => {
  const flush = vi.fn();
  const frame = oncePerFrame(flush);
  frame.ask();
  frame.ask();
  vi.advanceTimersByTime(frameMs);
  expect(flush).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(1_000);
  expect(flush).toHaveBeenCalledOnce();
});

test("a stream that does not pause is shown no more often than the page can draw it", () => {
  const cheap = askFor(1_000);
  const now = performance.now.bind(performance);
  let workedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + workedMs);
  const dear = askFor(1_000, () => {
    workedMs += 30;
  });
  expect(cheap).toBeGreaterThanOrEqual(20);
  expect(cheap).toBeLessThanOrEqual(40);
  expect(dear).toBeLessThan(cheap / 2);
  expect(dear).toBeGreaterThanOrEqual(6);
});

test("a hidden page gets no frames and is kept current all the same", () => {
  vi.stubGlobal("requestAnimationFrame", () => 1);
  const flushed = askFor(1_000);
  expect(flushed).toBeGreaterThanOrEqual(5);
});

test("what was cancelled is not shown", () => {
  const flush = vi.fn();
  const frame = oncePerFrame(flush);
  frame.ask();
  frame.cancel();
  vi.advanceTimersByTime(1_000);
  expect(flush).not.toHaveBeenCalled();
});

test("the frame of a key is left to the key, and the one after it has what has come", async () => {
  // Keys are heard once for a page.
  vi.resetModules();
  const { oncePerFrame } = await import("./frame");
  let press = () => {};
  vi.stubGlobal("addEventListener", (_: string, listener: () => void) => {
    press = listener;
  });
  const flush = vi.fn();
  const frame = oncePerFrame(flush);
  frame.ask();
  press();
  vi.advanceTimersByTime(frameMs);
  expect(flush).not.toHaveBeenCalled();
  // However many there are, the stream waits for one frame.
  press();
  vi.advanceTimersByTime(frameMs);
  expect(flush).toHaveBeenCalledOnce();
});
