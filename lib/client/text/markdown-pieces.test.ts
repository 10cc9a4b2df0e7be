import fc from "fast-check";
import { expect, test } from "vitest";
import { redactedMark, redactedPieces } from "@/lib/protocol/redacted-text";
import { cutPlain, toBlock } from "./markdown-pieces";

const mark = redactedMark("API key", "sk-0123456789abcdef");
const marksIn = (pieces: readonly string[]) =>
  pieces.flatMap(redactedPieces).filter((piece) => typeof piece !== "string").length;

test("plain text is cut at its ends of lines and words, and not within what stands for a redacted text", () => {
  const part = fc.tuple(
    fc.constantFrom(mark, "word ", "word", "\n", "x".repeat(1_500)),
    fc.integer({ min: 1, max: 60 }),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.map(([piece, count]) => piece.repeat(count)).join("");
      const pieces = cutPlain(text);
      expect(pieces.join("")).toBe(text);
      expect(pieces.every((piece) => piece.length <= 4_001)).toBe(true);
      expect(marksIn(pieces)).toBe(marksIn([text]));
    }),
  );
});

test("a mark that begins a piece without another space is kept whole", () => {
  const text = `${mark}${"x".repeat(9_000)}`;
  expect(cutPlain(text)[0]).toHaveLength(4_000);
  expect(cutPlain(text).join("")).toBe(text);
});

test("a long paragraph is not cut within what stands for a redacted text", () => {
  const mixed = `${mark} is a key that the server knows. `.repeat(200);
  const { pieces } = toBlock("paragraph", mixed);
  expect(pieces.length).toBeGreaterThan(2);
  expect(marksIn(pieces)).toBe(200);
  const { pieces: bare } = toBlock("paragraph", `${mark},`.repeat(400));
  expect(marksIn(bare)).toBe(400);
});
