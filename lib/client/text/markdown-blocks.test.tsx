import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MarkdownBlocks } from "./markdown-blocks";
import { textOf } from "./markdown-pieces";

const textsOf = (blocks: MarkdownBlocks, text: string) => blocks.split(text).map(textOf);

describe("blocks of Markdown", () => {
  it("stand once another block has begun", () => {
    const blocks = new MarkdownBlocks();
    const before = blocks.split("# One\n\nTwo\n\nThree");
    const after = blocks.split("# One\n\nTwo\n\nThree and more\n\nFour");
    expect(before.map(textOf)).toEqual(["# One\n\n", "Two\n\n", "Three"]);
    expect(after.map(textOf)).toEqual(["# One\n\n", "Two\n\n", "Three and more\n\n", "Four"]);
    expect([after[0], after[1]]).toEqual([before[0], before[1]]);
    expect(after[0]).toBe(before[0]);
  });

  it("go on being cut where a piece of text ended right behind the mark of a list", () => {
    const end = "one\n\nParagraph\n\nAnother";
    for (const mark of ["- ", "* ", "1. ", "> ", "# ", "```\n", "| a |\n"]) {
      const blocks = new MarkdownBlocks();
      blocks.split(`# Title\n\nText\n\n${mark}`);
      expect([mark, blocks.split(`# Title\n\nText\n\n${mark}${end}`).length]).toEqual([
        mark,
        new MarkdownBlocks().split(`# Title\n\nText\n\n${mark}${end}`).length,
      ]);
    }
  });

  it("are cut in a text of which only a space had come", () => {
    const blocks = new MarkdownBlocks();
    expect(textsOf(blocks, " ")).toEqual([" "]);
    expect(textsOf(blocks, " One\n\nTwo")).toEqual([" One\n\n", "Two"]);
  });

  it("are one where a definition is read by the whole text", () => {
    const text = "See [it][a].\n\nMore.\n\n[a]: https://example.com";
    expect(textsOf(new MarkdownBlocks(), text)).toEqual([text]);
  });

  it("start again when the text is another one", () => {
    const blocks = new MarkdownBlocks();
    blocks.split("[a]: https://example.com\n\nB");
    expect(textsOf(blocks, "A\n\nB")).toEqual(["A\n\n", "B"]);
  });
});

/** Each as long as one wants, and never done. */
const long: Record<string, (at: number) => string> = {
  list: (at) => `- item ${at} with **some** words\n`,
  table: (at) => `${at === 0 ? "| a | b |\n|---|--:|\n" : ""}| row ${at} | ${at} |\n`,
  code: (at) => `${at === 0 ? "```ts\n" : ""}const value${at} = [x]; // ${at}\n`,
  paragraph: (at) => `Sentence ${at} has *some* weight and goes on. `,
};

describe.each(Object.entries(long))("a long %s", (kind, line) => {
  const text = Array.from({ length: 400 }, (_, at) => line(at)).join("");

  it("is one block of many pieces, of which all but the last stand while it grows", () => {
    const blocks = new MarkdownBlocks();
    let before: readonly string[] = [];
    for (let length = 0; length < text.length; length += 97) {
      const [block, ...others] = blocks.split(text.slice(0, length));
      if (!block) continue;
      expect(others).toEqual([]);
      expect(textOf(block)).toBe(text.slice(0, length));
      expect(block.pieces.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = block.pieces;
    }
    expect(blocks.split(text)[0]?.kind).toBe(kind);
    expect(before.length).toBeGreaterThan(2);
    expect(Math.max(...before.map((piece) => piece.length))).toBeLessThan(6_200);
  });

  it("is cut alike however it came", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const grown = new MarkdownBlocks();
        for (const cut of cuts.sort((a, b) => a - b)) grown.split(text.slice(0, cut));
        expect(grown.split(text).map(textOf).join("")).toBe(text);
        expect(grown.split(text).map(({ kind: found }) => found)).toEqual([kind]);
      }),
      { numRuns: 50 },
    );
  });

  it("ends where another block begins", () => {
    const end = kind === "code" ? "```\n\nAfter" : "\n\nAfter";
    const blocks = new MarkdownBlocks();
    for (let length = 0; length < text.length; length += 501) blocks.split(text.slice(0, length));
    expect(textsOf(blocks, text + end)).toEqual([`${text}${end.slice(0, -5)}`, "After"]);
  });
});
