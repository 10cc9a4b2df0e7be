import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pageStyle } from "./page-style";

const tokens = readFileSync(join(import.meta.dirname, "../../../app/tokens.css"), "utf8");
const colors = "paper paper-2 rule thread ink ink-2 ink-3 shu".split(" ");

/** All values that a color has in a sheet: in light, in dark. */
const valuesOf = (sheet: string, name: string): string[] => [
  ...new Set(
    [...sheet.matchAll(new RegExp(`--${name}:\\s*(#[0-9a-f]{6})`, "g"))].map(([, value = ""]) => value),
  ),
];

test.each(colors)("the color %s is that of the application, in light and dark", (name) => {
  expect(valuesOf(pageStyle, name)).toHaveLength(2);
  expect(valuesOf(pageStyle, name)).toEqual(valuesOf(tokens, name));
});

test("the sheet fetches nothing and ends nowhere in the page", () => {
  expect(pageStyle).not.toMatch(/url\(|@import|@font-face|<\//);
});
