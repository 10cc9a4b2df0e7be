import { afterEach, expect, test, vi } from "vitest";
import { awaitRuntime } from "./application.mjs";

const names = ["runtime", "startError", "progress"].map((name) => Symbol.for(`meguri.${name}`));
const holder = globalThis as Record<symbol, unknown>;

afterEach(() => {
  vi.useRealTimers();
  for (const name of names) delete holder[name];
});

function begin() {
  vi.useFakeTimers();
  const told: string[] = [];
  const opened = awaitRuntime((line: string) => told.push(line)) as Promise<unknown>;
  const settled = opened.catch((cause: Error) => cause.message);
  return { told, outcome: () => Promise.race([settled, turn()]) };
}

const turn = async () => {
  for (let count = 0; count < 5; count++) await Promise.resolve();
  return "waits";
};

test("a start that says nothing for a minute has failed", async () => {
  const { outcome } = begin();
  vi.advanceTimersByTime(59_000);
  expect(await outcome()).toBe("waits");
  vi.advanceTimersByTime(1_000);
  expect(await outcome()).toBe("Meguri did not open within 60 s: see the lines above.");
});

test("one that tells how far its upgrade is may take as long as it needs", async () => {
  const { outcome, told } = begin();
  for (let minute = 1; minute <= 5; minute++) {
    vi.advanceTimersByTime(50_000);
    holder[Symbol.for("meguri.progress")] = `${minute} of 5`;
  }
  expect(await outcome()).toBe("waits");
  expect(told).toHaveLength(5);
  holder[Symbol.for("meguri.runtime")] = { isOpen: true };
  expect(await outcome()).toEqual({ isOpen: true });
});
