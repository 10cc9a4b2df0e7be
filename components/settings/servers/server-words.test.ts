import { expect, it } from "vitest";
import { sinceThen } from "./server-words";

const now = Date.parse("2026-11-20T12:00:00Z");

it("says how long ago in the two largest units", () => {
  expect(sinceThen("2026-11-20T11:59:18Z", now)).toEqual([[42, "second"]]);
  expect(sinceThen("2026-11-20T11:55:18Z", now)).toEqual([[4, "minute"]]);
  expect(sinceThen("2026-11-20T09:46:00Z", now)).toEqual([
    [2, "hour"],
    [14, "minute"],
  ]);
  expect(sinceThen("2026-11-18T09:00:00Z", now)).toEqual([
    [2, "day"],
    [3, "hour"],
  ]);
});

it("takes a clock that runs ahead for no time at all", () => {
  expect(sinceThen("2026-11-20T12:00:09Z", now)).toEqual([[0, "second"]]);
});
