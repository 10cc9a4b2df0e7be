import { expect, test } from "vitest";
import { cronProblemInWords, isTimeZone, nextTimes } from "./next-time";

const times = (cron: string, timeZone: string, after: string, count: number) =>
  nextTimes({ cron, timeZone }, Date.parse(after), count).map((at) => new Date(at).toISOString());

test("times are those of the zone, whatever the zone of the machine", () => {
  expect(times("30 7 * * 1", "Asia/Tokyo", "2026-11-27T00:00:00Z", 2)).toEqual([
    "2026-11-29T22:30:00.000Z",
    "2026-12-06T22:30:00.000Z",
  ]);
  expect(times("0 0 29 2 *", "UTC", "2026-11-27T00:00:00Z", 1)).toEqual(["2028-02-29T00:00:00.000Z"]);
});

test("a time that summer time leaves out comes once on that day, and one that comes twice once", () => {
  // In Berlin 02:30 is left out on 28 March 2027, and comes twice on 31 October 2027.
  expect(times("30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", 3)).toEqual([
    "2027-03-28T01:00:00.000Z",
    "2027-03-29T00:30:00.000Z",
    "2027-03-30T00:30:00.000Z",
  ]);
  expect(times("30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z", 3)).toEqual([
    "2027-10-31T00:30:00.000Z",
    "2027-11-01T01:30:00.000Z",
    "2027-11-02T01:30:00.000Z",
  ]);
});

test("every ten minutes goes on evenly where the clock is set", () => {
  for (const [day, hour] of [
    ["2027-03-28", 0],
    ["2027-10-31", 0],
  ]) {
    const from = Date.parse(`${day}T0${hour}:00:00Z`);
    const found = nextTimes({ cron: "*/10 * * * *", timeZone: "Europe/Berlin" }, from, 20);
    expect(found.map((at) => at - from)).toEqual(
      Array.from({ length: 20 }, (_, step) => (step + 1) * 600_000),
    );
  }
});

test("what is no cron of five fields is told in a sentence", () => {
  const problem = (cron: string) => cronProblemInWords(cron, "UTC");
  for (const good of ["* * * * *", "30 7 * * 1-5", "0 9 1,15 * *", "*/10 8-18 * JAN-MAR MON#1", "0 0 L * *"])
    expect(problem(good), good).toBeUndefined();
  expect(problem("* * * * * *")).toMatch(/and no seconds: a schedule asks at most once a minute$/);
  expect(problem("@daily")).toMatch(/^must have five fields/);
  expect(problem("? * * * *")).toMatch(/^takes digits/);
  expect(problem("61 * * * *")).toMatch(/^cannot be read/);
  expect(problem("a b c d e")).toMatch(/^cannot be read/);
  expect(problem("0 0 30 2 *")).toMatch(/^names a day that never comes/);
});

test("a zone is known or not", () => {
  expect(["UTC", "Asia/Tokyo", "Mars/Base", ""].map(isTimeZone)).toEqual([true, true, false, false]);
});
