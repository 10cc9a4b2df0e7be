import fc from "fast-check";
import { expect, test } from "vitest";
import { outsideMarks, redactedMark, redactedPieces } from "./redacted-text";
import { growth } from "./testing/growth";

test("a mark says what it was and how wide, by the number of letters and not by their shapes", () => {
  expect(redactedMark("e-mail address", "aiko@acme.dev")).toBe(`⟦e-mail address ${"█".repeat(12)}⟧`);
  expect(redactedMark("API key", "i".repeat(20))).toBe(redactedMark("API key", "W".repeat(20)));
  expect(redactedMark("local path", "/home/愛子")).toBe(`⟦local path ${"█".repeat(9)}⟧`);
  expect(redactedMark("private key", "x".repeat(5_000))).toBe(`⟦private key ${"█".repeat(40)}⟧`);
});

test("texts and marks come apart as they were put together", () => {
  const mark = redactedMark("API key", "sk-12345678");
  expect(redactedPieces(`a ${mark}${mark}.`)).toEqual([
    "a ",
    { kind: "API key", blocks: 10 },
    { kind: "API key", blocks: 10 },
    ".",
  ]);
  for (const text of [
    "",
    "████ 60 %",
    "[API key removed]",
    "[API key ████]",
    "⟦anything ████⟧",
    "⟦API key █",
  ])
    expect(redactedPieces(text).join("")).toBe(text);
});

test("a text that grows never ends within a mark", () => {
  const mark = redactedMark("e-mail address", "aiko@acme.dev");
  fc.assert(
    fc.property(fc.array(fc.constantFrom(mark, "[x] ", "word ", "⟦")), fc.nat(400), (parts, to) => {
      const text = parts.join("");
      const shown = text.slice(0, outsideMarks(text, Math.min(to, text.length)));
      expect(shown.length).toBeGreaterThan(Math.min(to, text.length) - mark.length);
      const rest = text.slice(shown.length);
      expect(
        [...redactedPieces(shown), ...redactedPieces(rest)].filter((piece) => typeof piece !== "string"),
      ).toHaveLength(parts.filter((part) => part === mark).length);
    }),
  );
});

test.each(["⟦", "█", "⟦API key █"])("%j without end takes time that grows with its length", (piece) => {
  expect(growth(20_000, (size) => redactedPieces(piece.repeat(size)))).toBeLessThan(8);
});
