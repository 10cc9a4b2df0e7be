import { renderToStaticMarkup } from "react-dom/server";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { IntlProvider } from "use-intl";
import { describe, expect, it } from "vitest";
import { messages } from "@/app/messages";
import { hostOf, markdownPolicy, safeUrl } from "./markdown-policy";

describe("what a model may put on the page", () => {
  it("makes a link with its host of a foreign picture, so that nothing is fetched", () => {
    expect(html("![chart](https://evil.test/p.png?id=1)")).toBe(
      '<p><a href="https://evil.test/p.png?id=1" target="_blank" rel="noopener noreferrer">chart<span class="away"> (evil.test)</span></a></p>',
    );
    for (const source of [
      "//evil.test/a.png",
      "/api/health",
      "p.png",
      "data:image/svg+xml;base64,PHN2Zz4=",
      "blob:x",
    ])
      expect(html(`![words](${source})`)).toBe("<p>words</p>");
  });

  it("shows a picture that comes along as data", () => {
    expect(html("![dot](data:image/png;base64,iVBORw0KGgo=)")).toBe(
      '<p><img src="data:image/png;base64,iVBORw0KGgo=" alt="dot" class="max-w-full"/></p>',
    );
  });

  it("opens links elsewhere and without a way back", () => {
    expect(html("[words](https://a.test)")).toBe(
      '<p><a href="https://a.test" target="_blank" rel="noopener noreferrer">words</a></p>',
    );
  });

  it("makes no link of an address that could run or reach into the page", () => {
    for (const address of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "/api/chat",
      "file:///etc/passwd",
    ])
      expect(html(`[words](<${address}>)`)).toBe("<p>words</p>");
  });

  it("shows raw HTML as the text that it is", () => {
    expect(html("a <img src=x onerror=alert(1)> b")).toBe("<p>a &lt;img src=x onerror=alert(1)&gt; b</p>");
    expect(html("<script>alert(1)</script>")).not.toContain("<script");
  });

  it("names the columns of a table and sets numbers to the right", () => {
    const table = html("| a | n |\n|---|--:|\n| x | 1 |");
    expect(table).toContain('<th scope="col" class="num">n</th>');
    expect(table).toContain('<td class="num">1</td>');
  });

  it("names the language of a piece of code", () => {
    expect(html("```sql\nselect 1\n```")).toContain("<span>sql</span>");
  });
});

it("gives the host of web addresses only", () => {
  expect(hostOf("https://a.test:8443/x")).toBe("a.test:8443");
  expect(hostOf("mailto:a@b.test")).toBeUndefined();
  expect(hostOf("https://")).toBeUndefined();
});

function html(markdown: string): string {
  return renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <Markdown remarkPlugins={[remarkGfm]} components={markdownPolicy} urlTransform={safeUrl}>
        {markdown}
      </Markdown>
    </IntlProvider>,
  );
}
