import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import MarkdownText from "@/components/chat/markdown/markdown-text";
import { payload, richPayload, shortPayload } from "./rendering";

const draw = (text: string, growing: boolean) =>
  renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <MarkdownText text={text} growing={growing} />
    </IntlProvider>,
  );

/** Tags that load or run something, attributes that do, and links that lead elsewhere without leaving us behind. */
const harmful = (html: string): string[] => {
  const tags = [...html.matchAll(/<([a-z][\w-]*)((?:\s[^<>"]*(?:"[^"]*")?)*)\/?>/gi)];
  return tags.flatMap(([tag, name = "", attributes = ""]) => {
    const href = /\shref="([^"]*)"/.exec(attributes)?.[1];
    const isHarmful =
      /^(iframe|object|embed|style|meta|link|base|script|form|video|audio|source)$/i.test(name) ||
      /\son\w+=/i.test(attributes) ||
      /\s(src|srcset|poster|action|xlink:href)="(?!data:image\/(png|jpeg|gif|webp)|blob:)/i.test(
        attributes,
      ) ||
      /url\(/i.test(attributes) ||
      (href !== undefined &&
        (!/^(https?|mailto):/.test(href) || !attributes.includes('rel="noopener noreferrer"')));
    return isHarmful ? [tag] : [];
  });
};

test("what is harmful would be seen", () => {
  const bad = [
    '<img src="http://a/"/>',
    '<a href="javascript:x" rel="noopener noreferrer">',
    '<a href="http://a">',
    '<p onclick="x">',
    "<style>",
    '<i style="background:url(x)">',
  ];
  for (const html of bad) expect(harmful(html)).toEqual([html]);
  expect(harmful(draw("**a** [b](https://c.example) `d`", false))).toEqual([]);
});

test.each(Object.entries({ payload, richPayload, shortPayload }))(
  "%s is harmless wherever it is cut while it is written",
  (_, text) => {
    for (let end = 1; end <= text.length; end++) {
      const html = draw(text.slice(0, end), true);
      expect(harmful(html), `cut after ${JSON.stringify(text.slice(Math.max(0, end - 40), end))}`).toEqual(
        [],
      );
    }
    expect(harmful(draw(text, false))).toEqual([]);
  },
);
