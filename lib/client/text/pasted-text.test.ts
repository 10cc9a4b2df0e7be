import { describe, expect, it } from "vitest";
import { findPasted, roughTokens } from "./pasted-text";

const log = Array.from({ length: 30 }, (_, at) => `line ${at} of the log`).join("\n");

describe("a text that was pasted", () => {
  it("is found by its length, with what is said about it", () => {
    expect(findPasted(`Here is the log. How many?\n\n${log}`)).toEqual({
      before: "Here is the log. How many?",
      pasted: log,
      after: "",
    });
    expect(findPasted(`What is this?\n${log}`)).toMatchObject({ before: "What is this?", pasted: log });
    expect(findPasted(`${log}\n\nHow many are duplicates?`)).toEqual({
      before: "",
      pasted: log,
      after: "How many are duplicates?",
    });
    expect(findPasted(log)).toEqual({ before: "", pasted: log, after: "" });
  });

  it("is one long line, too", () => {
    expect(findPasted("x".repeat(200_000))).toMatchObject({ before: "", after: "" });
    expect(findPasted("あ".repeat(1_400))).not.toBeNull();
  });

  it("is nothing that somebody would write", () => {
    expect(findPasted("one\n".repeat(20).trim())).toBeNull();
    expect(findPasted("word ".repeat(800))).toBeNull();
  });

  it("loses no word", () => {
    const text = `First?\n\n${log}\n\n${log}\n\nlast words`;
    const { before, pasted, after } = findPasted(text) ?? { before: "", pasted: "", after: "" };
    expect([before, pasted, after].join(" ").split(/\s+/)).toEqual(text.split(/\s+/));
  });
});

it("counts about as many tokens as models do", () => {
  expect(roughTokens("four letters each.")).toBe(5);
  expect(roughTokens("日本語の文")).toBe(5);
});
