import { expect, test } from "vitest";
import { piecesOf, showBody } from "./wire-body";

test("JSON gets its lines, and what is none or was cut stays as it came", () => {
  expect(showBody(' {"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  for (const text of ['{"a":[1', 'data: {"a":1}\n\n', "", '"a"']) expect(showBody(text)).toBe(text);
});

test("a long text is all of its pieces, which end with their lines or within a long one", () => {
  const lines = Array.from({ length: 4_000 }, (_, at) => `line ${at} ${"x".repeat(at % 60)}`).join("\n");
  expect(piecesOf(lines).join("\n")).toBe(lines);
  const long = "🦀".repeat(20_001);
  const pieces = piecesOf(`a${long}`);
  expect(pieces.join("")).toBe(`a${long}`);
  for (const piece of pieces) {
    expect(piece.isWellFormed()).toBe(true);
    expect(piece.length).toBeLessThanOrEqual(8_000);
  }
  expect(piecesOf("\n\n\n".repeat(9_000)).join("\n")).toHaveLength(27_000);
});
