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

test("listeners hear whose servers have changed since the last time, or that those of all have", async () => {
  const told: (string[] | undefined)[] = [];
  const notifier = new ChangeNotifier(() => {});
  notifier.listen((people) => told.push(people && [...people]));
  for (const person of ["ann", "ben", "ann"]) notifier.notify(person);
  while (told.length < 1) await wait(5);
  notifier.notify("ann");
  notifier.notify();
  while (told.length < 2) await wait(5);
  notifier.notify("ben");
  while (told.length < 3) await wait(5);
  expect(told).toEqual([["ann", "ben"], undefined, ["ben"]]);
  notifier.stop();
});
