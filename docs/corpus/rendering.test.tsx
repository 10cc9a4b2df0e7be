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

/** Each block cut after each character, and the whole after each line, as a reference is told of further below. */
const cuts = (text: string): string[] => [
  ...text.split(/\n{2,}/).flatMap((block) => Array.from(block, (_, at) => block.slice(0, at + 1))),
  ...Array.from(text.matchAll(/\n/g), ({ index }) => text.slice(0, index)),
];

test.each(Object.entries({ payload, richPayload, shortPayload }))(
  "%s is harmless wherever it is cut while it is written",
  { timeout: 60_000 },
  (_, text) => {
    const harm = cuts(text).flatMap((cut) => harmful(draw(cut, true)).map((tag) => [tag, cut.slice(-60)]));
    expect(harm).toEqual([]);
    expect(harmful(draw(text, false))).toEqual([]);
  },
);
