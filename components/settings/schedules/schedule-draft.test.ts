import { expect, test } from "vitest";
import { cronWords } from "./cron-words";
import { budgetOf, emptyErrand, toDraft, toErrand, usedBy } from "./schedule-draft";

test("common crons are words, all others stay as they are", () => {
  const at = { hour: 7, minute: 30 };
  expect(cronWords("30 7 * * *")).toEqual({ kind: "daily", ...at });
  expect(cronWords("30 7 * * 1-5")).toEqual({ kind: "workdays", ...at });
  expect(cronWords("30 7 * * 7")).toEqual({ kind: "weekly", day: 0, ...at });
  expect(cronWords("30 7 15 * *")).toEqual({ kind: "monthly", date: 15, ...at });
  for (const other of ["*/5 * * * *", "30 7 * 2 *", "30 7 15 * 1", "30 25 * * *", "* * * * * *", ""])
    expect(cronWords(other), other).toBeUndefined();
});

test("a budget is a number above 0 of one kind, beside what else is set", () => {
  expect(budgetOf({ ...emptyErrand, amount: "200,000" })).toEqual({ tokens: 200_000 });
  expect(budgetOf({ ...emptyErrand, limit: "cost", amount: "$0.50" }, { tokens: 9, timeMs: 5_000 })).toEqual({
    cost: 0.5,
    timeMs: 5_000,
  });
  for (const amount of ["", "0", "-1", "1.5", "many"])
    expect(budgetOf({ ...emptyErrand, amount }), amount).toBeUndefined();
});

test("what is not chosen is left out where it is made, and taken back where it is changed", () => {
  const draft = { ...emptyErrand, name: " Numbers ", text: "Count.", model: "a/b", servers: [] };
  const budget = { tokens: 9 };
  expect(toErrand(draft, budget)).toEqual({
    name: "Numbers",
    text: "Count.",
    budget,
    model: "a/b",
    servers: [],
  });
  expect(usedBy(draft)).toEqual({ model: "a/b", assistant: null, agent: null, servers: [], projectId: null });
  const schedule = {
    ...{ id: "s", cron: "0 9 * * *", timeZone: "UTC", missed: "skip" as const, enabled: true, createdAt: "" },
    ...{ nextRunAt: null, nextTimes: [], lastRunId: null, lastRun: null, note: null },
  };
  expect(toDraft({ ...schedule, ...toErrand(draft, { cost: 0.5 }) })).toEqual({
    ...{ ...draft, name: "Numbers", limit: "cost", amount: "0.5" },
    ...{ cron: "0 9 * * *", timeZone: "UTC", missed: "skip" },
  });
});
