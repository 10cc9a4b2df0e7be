import { expect, test } from "vitest";
import { toQuote } from "./quote";

test("each line gets its mark, and blank lines at the ends go", () => {
  expect(toQuote("\n\nOne  \r\n\n\n\nTwo\n  three\n")).toBe("> One\n>\n> Two\n>   three");
});

test("nothing but blanks is no quotation", () => {
  expect(toQuote(" \n\t\n")).toBe("");
});

test("a long one is cut between two characters", () => {
  const quote = toQuote("🦊".repeat(100_000).replace(/^/, "x"));
  expect(quote).toHaveLength("> ".length + 3_999 + 1);
  expect(quote.endsWith("🦊…")).toBe(true);
});
