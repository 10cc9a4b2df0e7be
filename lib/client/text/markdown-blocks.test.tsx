import fc from "fast-check";
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { describe, expect, it } from "vitest";
import { MarkdownBlocks } from "./markdown-blocks";

/** Pieces as models write them, and some that reach over the borders of blocks. */
const pieces = [
  "# Title\n\n",
  "Title\n=====\n\n",
  "A paragraph with **bold**, `code` and [a link](https://example.com).\n",
  "Another line.\n\n",
  "- one\n- two\n  - deep\n\n",
  "- loose\n\n- items\n\n",
  "1. first\n2. second\n\n",
  "* other marks\n",
  "> quoted\nlazy\n\n",
  "```ts\nconst a = 1;\n\nconst b = [x]: y;\n```\n\n",
  "~~~\nopen fence\n\n",
  "    indented code\n\n",
  "| a | b |\n|---|--:|\n| 1 | 2 |\n\n",
  "---\n\n",
  "- [x] done\n- [ ] open\n\n",
  "See [the note][n] and a foot[^1].\n\n",
  "[n]: https://example.com/n\n\n",
  "[^1]: The note.\n\n",
  "<details>\n\ninside\n\n</details>\n\n",
  "日本語の段落です。\n\n",
  "**日本語**の強調。\n",
  "\n",
];

describe("blocks of Markdown", () => {
  it("rendered one by one look like the whole text rendered at once", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        expect(plain(new MarkdownBlocks().split(text).map(render).join(""))).toBe(plain(render(text)));
      }),
      { numRuns: 400 },
    );
  });

  it("do not depend on how the text came", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 6 }),
        fc.array(fc.nat()),
        (parts, cuts) => {
          const text = parts.join("");
          const grown = new MarkdownBlocks();
          for (const cut of cuts.map((n) => n % (text.length + 1)).sort((a, b) => a - b))
            grown.split(text.slice(0, cut));
          expect(plain(grown.split(text).map(render).join(""))).toBe(plain(render(text)));
          expect(grown.split(text).join("")).toBe(text);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("are read again where what follows turns out to be one more item of a list", () => {
    const list = "1. first\n2. second\n\n1. third\n";
    for (const text of [list, `| a |\n|---|\n| 1 |\n\n${list}`]) {
      const grown = new MarkdownBlocks();
      for (let length = 0; length <= text.length; length++) grown.split(text.slice(0, length));
      expect(plain(grown.split(text).map(render).join(""))).toBe(plain(render(text)));
    }
  });

  it("stand once another block has begun", () => {
    const blocks = new MarkdownBlocks();
    const before = blocks.split("# One\n\nTwo\n\nThree");
    const after = blocks.split("# One\n\nTwo\n\nThree and more\n\nFour");
    expect(before).toEqual(["# One\n\n", "Two\n\n", "Three"]);
    expect(after).toEqual(["# One\n\n", "Two\n\n", "Three and more\n\n", "Four"]);
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

  it("are one where a definition is read by the whole text", () => {
    const text = "See [it][a].\n\nMore.\n\n[a]: https://example.com";
    expect(new MarkdownBlocks().split(text)).toEqual([text]);
  });

  it("start again when the text is another one", () => {
    const blocks = new MarkdownBlocks();
    blocks.split("[a]: https://example.com\n\nB");
    expect(blocks.split("A\n\nB")).toEqual(["A\n\n", "B"]);
  });
});

const render = (text: string) =>
  renderToStaticMarkup(<ReactMarkdown remarkPlugins={[remarkGfm]}>{text}</ReactMarkdown>);

/** White space between blocks is nobody's. */
const plain = (html: string) => html.replace(/>\s+</g, "><").trim();
