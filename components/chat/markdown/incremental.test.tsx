import fc from "fast-check";
import { createElement, Fragment } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { IntlProvider } from "use-intl";
import { describe, expect, it } from "vitest";
import { messages } from "@/app/messages";
import { markdownPolicy, safeUrl } from "@/components/ui/code/markdown-policy";
import { MarkdownBlocks } from "@/lib/client/text/markdown-blocks";
import { joinMathLines } from "@/lib/client/text/math-blocks";
import { DataTable } from "./data-table";
import { BlockDrawing } from "./draw-block";
import { HighlightedCode } from "./highlighted-code";
import { MathSpan } from "./math-span";
import { remarkMath } from "./math-syntax";

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
  "```\n[x]: in code\n```\n\n",
  '``` ts title="a"\nlet a;\n\n\n```\n',
  "````\n```\ninside\n```\n````\n\n",
  "  ```js\n  indented fence\n  ```\n\n",
  `| a | *b* |\n|---|:-:|\n${"| row **with** | `code` |\n".repeat(14)}`,
  "- item with *words*\n".repeat(12),
  "1. step\n   - detail\n".repeat(12),
  "- loose\n\n  more\n".repeat(12),
  `${"- tight\n".repeat(20)}\n- and loose\n`,
  `${"- [x] done\n".repeat(12)}- plain\n\n`,
  `${"Words with *some* weight and `code`. ".repeat(95)}\n\n`,
  `\`\`\`py\n${"print(1)\n\n".repeat(50)}\`\`\`\n\n`,
  `Start **${"bold words go on ".repeat(210)}end** of it.\n\n`,
  `${"Words that turn out to be a title ".repeat(100)}\n===\n\n`,
  `> ${"quoted words\n> ".repeat(30)}end\n\n`,
  "    indented code\n\n",
  "| a | b |\n|---|--:|\n| 1 | 2 |\n\n",
  "---\n\n",
  "- [x] done\n- [ ] open\n\n",
  "See [the note][n] and a foot[^1].\n\n",
  "[n]: https://example.com/n\n\n",
  "[^1]: The note.\n\n",
  "<details>\n\ninside\n\n</details>\n\n",
  "$$\nx = 1\n\n- y\n+ z\n$$\n",
  "As said\n\\[ a \\\\[2pt]\n= b \\]\n",
  "$$ a_1 $$ is no line of its own.\n\n",
  "Energy $E = mc^2$, \\(a_b*c\\) and *$x$*; it costs $5 and $10.\n\n",
  "| $a|b$ | \\(c_d\\) |\n|---|---|\n| $x$ | `$y$` |\n\n",
  "- item $a_b$\n\n  $$ c $$\n\n",
  "$$ never closed\n\n- and more\n\n",
  `${"Words and a price of $5 that go on. ".repeat(95)}with $x_1$\n\n`,
  "```sh\n$$\necho \\(a\\)\n```\n\n",
  "日本語の段落です。\n\n",
  "**日本語**の強調。\n",
  "\n",
];

/** What is drawn of a text that has come in these steps. */
class Grown {
  private readonly blocks = new MarkdownBlocks();
  private readonly drawings: BlockDrawing[] = [];

  draw(text: string): string {
    const nodes = this.blocks.split(text).map((block, at) => {
      this.drawings[at] ??= new BlockDrawing();
      return this.drawings[at].draw(block, false);
    });
    return markup(createElement(Fragment, null, ...nodes));
  }
}

describe("Markdown that came piece by piece", () => {
  it("looks like the whole text rendered at once", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 7 }), (parts) => {
        const text = parts.join("");
        expect(plain(new Grown().draw(text))).toBe(plain(whole(text)));
      }),
      { numRuns: 40 },
    );
  });

  it("looks so after each step, wherever the text was cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (parts, cuts) => {
          const text = parts.join("");
          const grown = new Grown();
          for (const cut of cuts.map((n) => n % (text.length + 1)).sort((a, b) => a - b)) {
            const part = text.slice(0, cut);
            const drawn = plain(grown.draw(part));
            if (!endsInMark.test(part)) expect(drawn).toBe(plain(whole(part)));
          }
          expect(plain(grown.draw(text))).toBe(plain(whole(text)));
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each(pieces.map((text, at) => [at, text] as const))("looks so at every cut of piece %i", (_, text) => {
    const grown = new Grown();
    const step = Math.max(1, Math.floor(text.length / 25));
    for (let length = 0; length < text.length + step; length += step) {
      const part = text.slice(0, length);
      expect(plain(grown.draw(part))).toBe(plain(whole(part)));
    }
  });

  it("is tight again where what looked like an item of a long list was a line of a formula", () => {
    const list = "- item with *words*\n".repeat(12);
    const formula = "$$\nx = 1\n\n- y\n+ z\n$$\n";
    const grown = new Grown();
    for (let length = 0; length <= formula.length; length++) {
      const part = list + formula.slice(0, length);
      expect(plain(grown.draw(part))).toBe(plain(whole(part)));
    }
  });

  it("is a formula also where its TeX ends in a dollar, or has two", () => {
    for (const text of [
      "$$ never closed\n\n- item $a_b$\n\n  $$ c $$\n\n",
      "\\[ a $$\n= b \\]\n\nWords.\n",
    ]) {
      const grown = new Grown();
      for (let length = 0; length <= text.length; length++)
        expect(plain(grown.draw(text.slice(0, length)))).toBe(plain(whole(text.slice(0, length))));
    }
  });

  it("is read again where what follows turns out to be one more item of a list", () => {
    const list = "1. first\n2. second\n\n1. third\n";
    for (const text of [list, `| a |\n|---|\n| 1 |\n\n${list}`]) {
      const grown = new Grown();
      for (let length = 0; length <= text.length; length++)
        expect(plain(grown.draw(text.slice(0, length)))).toBe(plain(whole(text.slice(0, length))));
    }
  });
});

/**
 * Behind indented code the parser takes a mark of a list for words as long as it stands alone. Read by itself it is a list, as CommonMark
 * has it, and so it is for both with the next character.
 */
const endsInMark = /(?:^|\n) {4,}\S.*\n\s*\n {0,3}(?:[-*+]|\d+[.)])[ \t]*$/;

const whole = (text: string) =>
  markup(
    <ReactMarkdown
      remarkPlugins={[remarkGfm, remarkMath]}
      urlTransform={safeUrl}
      components={{ ...markdownPolicy, pre: HighlightedCode, span: MathSpan, table: DataTable }}
    >
      {joinMathLines(text)}
    </ReactMarkdown>,
  );

const markup = (page: React.ReactNode) =>
  renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      {page}
    </IntlProvider>,
  );

/**
 * White space between blocks, in TeX and at the end of code is nobody's; what is laid out by itself is no block of the
 * text, and a formula with lines of its own may stand in a paragraph or between two.
 */
const plain = (html: string) =>
  html
    .replace(wideFormula, (_, tex: string) => `<math>${tex.replace(/\s+/g, " ")}</math>`)
    .replace(/(?:<\/?p>|\s)*(<math>[^<]*<\/math>)(?:<\/?p>|\s)*/g, "$1")
    .replace(/<span class="piece">([^<]*(?:<(?!\/?span)[^>]*>[^<]*)*)<\/span>/g, "$1")
    .replace(/\s+(?=<\/code>)/g, "")
    .replace(/>\s+</g, "><")
    .trim();

const wideFormula =
  /<span data-frame=""(?:(?!<code>).)*<span data-math-scroll=(?:(?!<code>).)*<code>([^<]*)<\/code><\/span><\/span>/gs;
