import { expect, test } from "vitest";
import type { ScheduleRow } from "./schedule-ports";
import { askStored, openTempStore, tempDir } from "./testing/temp-store";

const row = (id: string, more: Partial<ScheduleRow> = {}): ScheduleRow => ({
  ...{ id, userId: "ann", tokenHash: null, lastRunId: null, note: null, createdAt: 1 },
  errand: { name: id, text: "Count.", budget: { tokens: 9 } },
  timing: { cron: "0 9 * * *", timeZone: "UTC", missed: "skip" },
  nextAt: 100,
  ...more,
});

const trigger = (id: string, more: Partial<ScheduleRow> = {}) =>
  row(id, { timing: null, nextAt: null, tokenHash: `hash of ${id}`, ...more });

test("schedules and triggers are one person's, each kind so many", async () => {
  const { schedules } = await openTempStore();
  for (const one of [row("a"), row("b", { createdAt: 2 }), trigger("t")])
    expect(await schedules.add(one, 2)).toBe(true);
  expect(await schedules.add(row("c"), 2)).toBe(false);
  expect(await schedules.add(row("d", { userId: "ben" }), 2)).toBe(true);
  expect(await schedules.list("ann", "schedule")).toEqual([row("a"), row("b", { createdAt: 2 })]);
  expect(await schedules.list("ann", "trigger")).toEqual([trigger("t")]);
  expect(await schedules.get("ben", "schedule", "a")).toBeUndefined();
  expect(await schedules.get("ann", "trigger", "a")).toBeUndefined();
  expect(await schedules.byToken("hash of t")).toEqual(trigger("t"));
  expect(await schedules.update("ben", "schedule", "a", (before) => before)).toBeUndefined();
  expect(await schedules.delete("ben", "schedule", "a")).toBe(false);
  expect(await schedules.delete("ann", "trigger", "a")).toBe(false);
  expect(await schedules.delete("ann", "schedule", "a")).toBe(true);
  expect(await schedules.get("ann", "schedule", "a")).toBeUndefined();
});

test("what is due comes in its order, without the people who have their turn later", async () => {
  const { schedules } = await openTempStore();
  for (const one of [
    row("later", { nextAt: 300 }),
    row("second", { nextAt: 200 }),
    row("first", { nextAt: 100 }),
    row("off", { nextAt: null }),
    row("of ben", { nextAt: 150, userId: "ben" }),
    trigger("t"),
  ])
    await schedules.add(one, 9);
  const due = async (...args: Parameters<typeof schedules.due>) =>
    (await schedules.due(...args)).map(({ id }) => id);
  expect(await due(250, 9, [])).toEqual(["first", "of ben", "second"]);
  expect(await due(250, 2, [])).toEqual(["first", "of ben"]);
  expect(await due(250, 9, ["ann"])).toEqual(["of ben"]);
  expect(await schedules.soonest()).toBe(100);
  const note = { code: "missed" as const, at: 100 };
  expect(await schedules.passOver("first", { at: 100, nextAt: 400 }, note)).toBe(true);
  expect(await schedules.passOver("first", { at: 100, nextAt: 500 }, note)).toBe(false);
  expect(await schedules.get("ann", "schedule", "first")).toEqual(row("first", { nextAt: 400, note }));
  expect(await schedules.soonest()).toBe(150);
});

test("one whose row is damaged is left out of the list", async () => {
  const dataDir = tempDir();
  const broken: string[] = [];
  const { schedules } = await openTempStore({ dataDir, onBrokenRow: ({ message }) => broken.push(message) });
  await schedules.add(row("a"), 9);
  await schedules.add(row("b"), 9);
  await askStored(dataDir, "records", "update schedule set body = '{}' where id = 'a'");
  expect((await schedules.list("ann", "schedule")).map(({ id }) => id)).toEqual(["b"]);
  expect(broken).toEqual([expect.stringContaining("schedule a")]);
});
