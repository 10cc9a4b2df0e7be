import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { createThrottle } from "./throttle";

test("many requests lead to one run, and runs keep their distance", async () => {
  const runs: number[] = [];
  const throttle = createThrottle(100, () => runs.push(performance.now()));
  for (let i = 0; i < 100; i++) throttle.call();
  expect(runs).toEqual([]);
  while (runs.length < 1) await wait(5);
  for (let i = 0; i < 100; i++) throttle.call();
  while (runs.length < 2) await wait(5);
  expect((runs[1] ?? 0) - (runs[0] ?? 0)).toBeGreaterThan(95);
  throttle.call();
  throttle.stop();
  await wait(150);
  expect(runs).toHaveLength(2);
});
