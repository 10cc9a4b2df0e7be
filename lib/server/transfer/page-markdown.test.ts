import { expect, test } from "vitest";
import { markdownToHtml } from "./page-markdown";

/** All that an exported text may be made of. */
const elements = new Set(
  "p h2 h3 h4 h5 h6 strong em del a code pre ul ol li blockquote hr br table thead tbody tr th td".split(" "),
);

const elementsOf = (html: string): string[] =>
  [...html.matchAll(/<\/?([^\s>/]+)/g)].map(([, name = ""]) => name);

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "a <b onclick=x>b</b> <!-- c --> <![CDATA[ d ]]> <?e?>",
  "[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) [d](file:///etc/passwd) [e](vbscript:x)",
  '[a](https://x.example/"onmouseover=alert(1)) ![b](x" onerror="y)',
  "![a](https://evil.example/p.png) ![](http://evil.example) ![c](data:image/svg+xml,<svg/onload=x>)",
  "<https://evil.example/<script>> <javascript:alert(1)>",
  "[a]: javascript:alert(1)\n\n[a] [b][a]",
  "| a<svg> | b |\n|-|:-:|\n| <iframe> | `<c>` |",
  "```html\n</code></pre><script>x</script>\n```",
  "- [x] <input autofocus onfocus=x>\n\n<details open ontoggle=x>",
  "&lt;script&gt; &#60;script&#62;",
])("%s makes no element and no address but ours", (text) => {
  const html = markdownToHtml(text);
  expect(elementsOf(html).filter((name) => !elements.has(name))).toEqual([]);
  for (const [, attributes = ""] of html.matchAll(/<\w+\s+([^>]*)>/g))
    expect(attributes).toMatch(
      /^(href="(https?:\/\/|mailto:)[^"<>]*" rel="noopener noreferrer"|class="plain"|align="\w+"|start="\d+")$/,
    );
});

test("Markdown is drawn below the title of the page", () => {
  expect(markdownToHtml("# A\n\n**b** [c](https://c.example)")).toBe(
    '<h2>A</h2>\n<p><strong>b</strong> <a href="https://c.example" rel="noopener noreferrer">c</a></p>\n',
  );
});

test.each([
  ["unclosed emphasis", "_*a".repeat(10_000)],
  ["nested quotes", ">".repeat(20_000)],
  ["nested lists", "1. ".repeat(20_000)],
  ["brackets", "[".repeat(50_000)],
])("%s without end are text as they are", (_, text) => {
  expect(markdownToHtml(text)).toMatch(/^<p class="plain">/);
});
