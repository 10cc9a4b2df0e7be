import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { describe, expect, it } from "vitest";
import { messages } from "@/app/messages";
import { drawFormula } from "./draw-formula";
import MarkdownText from "./markdown-text";

const markup = (text: string, growing = false) =>
  renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <MarkdownText text={text} growing={growing} />
    </IntlProvider>,
  );

/** The TeX of each formula, `[…]` where it has lines of its own. */
const formulas = (text: string, growing = false) =>
  [...markup(text, growing).matchAll(/data-(tex="[^"]*"|math-scroll="")[^>]*><code>([^<]*)<\/code>/g)].map(
    ([, kind = "", tex]) => (kind.startsWith("tex") ? tex : `[${tex}]`),
  );

describe("what is a formula", () => {
  it.each([
    ["a $x$ b", ["x"]],
    ["速度は$v$です", ["v"]],
    ["the $n$th and **$m$**", ["n", "m"]],
    ["\\(a_b\\) and \\[c\\] here", ["a_b", "[c]"]],
    ["so $$a$$ it is", ["[a]"]],
    ["$$\na\n\n- b\n$$", ["[a\n\n- b]"]],
    ["As said\n\\[\na \\\\[2pt]\nb\n\\]\nand so", ["[a \\\\[2pt]\nb]"]],
    ["> $$\n> a\n> b\n> $$", ["[a\nb]"]],
    ["| a |\n|---|\n| $x$ |", ["x"]],
    ["<br>\n\n$$\na\n- b\n$$", ["[a - b]"]],
  ])("finds it in %j", (text, found) => {
    expect(formulas(text)).toEqual(found);
  });

  it.each([
    "It costs $5 and $10.",
    "It costs $5, not US$6 or 7$.",
    "Set $HOME and $PATH, or $HOME/bin:$PATH",
    "`$x$` and `\\(y\\)`",
    "```\n$$\na\n$$\n```",
    "    $$ a $$",
    "\\$x\\$ and \\\\(y\\\\)",
    "$$ and nothing else",
    "\\(never closed",
    "$ x $",
  ])("leaves %j as text", (text) => {
    expect(formulas(text)).toEqual([]);
    expect(markup(text)).not.toContain("data-math");
  });

  it("shows the source of what is being written, and no more than that", () => {
    expect(formulas("$$\na = b", true)).toEqual(["[\na = b]"]);
    expect(formulas("so \\(a_1 + ", true)).toEqual(["a_1 + "]);
    expect(markup("so \\(a_1 + ", true)).not.toContain("\\)");
    expect(formulas("it costs $5 and", true)).toEqual([]);
  });

  it("holds nobody up where it is opened again and again", () => {
    for (const mark of ["\\(", "\\[", "$$ a\n", "$a ", "\\[\n", "$a$$b", "`$"]) {
      // In a time that grew with its square the last one would take minutes.
      expect(markup(mark.repeat(20_000 / mark.length)).length).toBeGreaterThan(0);
    }
  });
});

describe("a formula that is drawn", () => {
  it("keeps its TeX and its MathML", () => {
    const drawn = drawFormula("\\frac{a}{b}", true);
    expect(drawn).toHaveProperty("html", expect.stringContaining("<mfrac>"));
    expect(drawn).toHaveProperty("html", expect.stringContaining("\\frac{a}{b}</annotation>"));
  });

  it("names no address, whatever it is asked for", () => {
    for (const tex of [
      "\\href{https://evil.test}{x}",
      "\\url{https://evil.test}",
      "\\includegraphics{https://evil.test/a.png}",
      "\\htmlStyle{background:url(https://evil.test)}{x}",
      "\\htmlData{x=https://evil.test}{x}",
      "\\text{<img src=https://evil.test/a.png>}",
    ]) {
      const drawn = drawFormula(tex, false);
      const html = "html" in drawn ? drawn.html : "";
      const outside = html.replace(/<annotation[\s\S]*?<\/annotation>/g, "");
      expect(outside).not.toMatch(/(?:href|src|style|data-[^=]*)="[^"]*evil/);
      expect(outside).not.toContain("<img");
    }
  });

  it("says in one line why it cannot be", () => {
    expect(drawFormula("\\frac{a}", true)).toHaveProperty("why", expect.stringMatching(/^[^\n]{5,200}$/));
    expect(drawFormula("\\nosuch", true)).toEqual({
      why: "Undefined control sequence: \\nosuch (position 1)",
    });
  });

  it("ends, also with macros that have no end, and nesting that has no bottom", () => {
    for (const tex of [
      "\\def\\a{\\a}\\a",
      "\\def\\a{\\a\\a}\\a",
      `\\def\\a{${"x".repeat(2_500)}}${"\\a".repeat(1_500)}`,
      "\\def\\a{xx}\\def\\b{\\a\\a}\\def\\c{\\b\\b}\\def\\d{\\c\\c}\\d\\d\\d",
      "{".repeat(6_000),
      `${"\\sqrt{".repeat(900)}x${"}".repeat(900)}`,
      `${"x^{".repeat(1_500)}x${"}".repeat(1_500)}`,
    ])
      expect(drawFormula(tex, true)).toBeDefined();
    expect(drawFormula("\\def\\a{\\a}\\a", true)).toHaveProperty("why");
    expect(drawFormula("\\rule{900em}{900em}", false)).toHaveProperty(
      "html",
      expect.not.stringContaining("900em;"),
    );
  });
});
