import { expect, test } from "vitest";
import { shortChange } from "./short-change";

test("only what differs is left, in whole words", () => {
  expect(shortChange('{"refunds": 412, "yen": 5}', '{"refunds": 433, "yen": 5}')).toEqual({
    was: "412",
    now: "433",
  });
  expect(shortChange("a b c", "a c")).toEqual({ was: "b", now: "" });
  expect(shortChange("same", "same")).toEqual({ was: "", now: "" });
  expect(shortChange("a a", "a a a")).toEqual({ was: "", now: "a" });
});

test("what is long is cut, on one line", () => {
  const { was, now } = shortChange(`x\n${"y ".repeat(99)}`, "z");
  expect([was.length, was.startsWith("x y y"), now]).toEqual([40, true, "z"]);
});
