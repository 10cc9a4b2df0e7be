import { expect, test } from "vitest";
import { titleFrom } from "./title";

test("a title is the first line, cut at a word", () => {
  expect(titleFrom("  Why did\trefunds spike?\nMore below")).toBe("Why did refunds spike?");
  const long = titleFrom("word ".repeat(40));
  expect(long.endsWith("word…")).toBe(true);
  expect(long.length).toBeLessThanOrEqual(61);
});

test("Japanese and emoji are cut between what people see as characters", () => {
  expect(titleFrom("あ".repeat(80))).toBe(`${"あ".repeat(60)}…`);
  expect(titleFrom("👩‍👩‍👧‍👦".repeat(30))).not.toMatch(/\u200d…$/);
});
