import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { describe, expect, it } from "vitest";
import { messages } from "@/app/messages";
import MarkdownText from "./markdown-text";

const markup = (text: string, growing = false) =>
  renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <MarkdownText text={text} growing={growing} />
    </IntlProvider>,
  );

const table = (rows: number, columns = 2) =>
  [
    `| ${Array.from({ length: columns }, (_, at) => `head ${at}`).join(" | ")} |`,
    `|${"---|".repeat(columns)}`,
    ...Array.from({ length: rows }, (_, at) => `| row ${at} |${` ${at * 1_000} |`.repeat(columns - 1)}`),
  ].join("\n");

const count = (html: string, of: RegExp) => html.match(of)?.length ?? 0;

describe("a table of an answer", () => {
  it("sets numbers to the right, and has buttons from three rows on", () => {
    const html = markup(table(3));
    expect(html).toContain('data-right="2"');
    expect(html).toContain("3 rows");
    expect(count(html, /class="sort"/g)).toBe(2);
    expect(markup(table(2))).not.toContain("2 rows");
  });

  it("folds a long one without losing a row", () => {
    const html = markup(table(40));
    expect(html).toContain("data-folded");
    expect(count(html, /<tr>/g)).toBe(41);
    expect(html).toContain("28 more");
    expect(markup(table(15))).not.toContain("data-folded");
  });

  it("stays as it is while it grows", () => {
    const html = markup(table(40), true);
    expect(html).not.toContain("data-folded");
    expect(html).not.toContain("<button");
  });

  it("of 5,000 rows, or of 500 columns, has a part of its cells on the page", () => {
    for (const html of [markup(table(5_000, 5)), markup(table(100, 500))]) {
      expect(html).toContain("<table");
      expect(count(html, /<td>/g)).toBeLessThan(7_000);
    }
    expect(markup(table(5_000, 5))).toContain("4988 more");
  });
});
