import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { ChangeNotifier } from "./change-notifier";

test("many changes are told once, with a pause before the next time, and to the others where a listener throws", async () => {
  const runs: number[] = [];
  const faults: unknown[] = [];
  const notifier = new ChangeNotifier((cause) => faults.push(cause));
  notifier.listen(() => {
    throw new Error("broken");
  });
  notifier.listen(() => runs.push(performance.now()));
  for (let i = 0; i < 100; i++) notifier.notify();
  expect(runs).toEqual([]);
  while (runs.length < 1) await wait(5);
  for (let i = 0; i < 100; i++) notifier.notify();
  while (runs.length < 2) await wait(5);
  expect((runs[1] ?? 0) - (runs[0] ?? 0)).toBeGreaterThan(95);
  expect(faults).toEqual([new Error("broken"), new Error("broken")]);
  notifier.notify();
  notifier.stop();
  await wait(150);
  expect(runs).toHaveLength(2);
});
