import { expect, it } from "vitest";
import { rowsBetween } from "./row-actions";

const ids = ["a", "b", "c", "d"];

it("takes a row of conversations in either direction, both ends included", () => {
  expect(rowsBetween(ids, "b", "d")).toEqual(["b", "c", "d"]);
  expect(rowsBetween(ids, "d", "b")).toEqual(["b", "c", "d"]);
  expect(rowsBetween(ids, "b", "b")).toEqual(["b"]);
});

it("takes one alone where nobody has chosen before, or where that one is gone", () => {
  expect(rowsBetween(ids, undefined, "c")).toEqual(["c"]);
  expect(rowsBetween(ids, "gone", "c")).toEqual(["c"]);
});
