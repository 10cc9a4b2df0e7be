import { expect, test } from "vitest";
import { iconOf, isIcon } from "./assistants";

test("an icon is one character as people count them", () => {
  for (const icon of ["A", "訳", "é", "👩🏽‍💻", "🇯🇵"]) expect(isIcon(icon), icon).toBe(true);
  for (const text of ["", " ", "AB", "👩👩", "A".repeat(33), "e\u0301".repeat(20)])
    expect(isIcon(text), text).toBe(false);
});

test("the icon of a name is its first character, however long the name is", () => {
  expect([iconOf(" clerk"), iconOf("👩🏽‍💻 Ada"), iconOf(" ")]).toEqual(["C", "👩🏽‍💻", ""]);
  const name = "訳".repeat(1_000_000);
  expect([iconOf(name), isIcon(name)]).toEqual(["訳", false]);
});
