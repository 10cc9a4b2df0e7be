import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import type { WireRecord } from "@/lib/protocol/wire";
import { WireView } from "./wire-view";

const draw = (wire: WireRecord, locale: "en" | "ja" = "en") =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
      <WireView wire={wire} />
    </IntlProvider>,
  );

const record = (change: Partial<WireRecord> = {}): WireRecord => ({
  at: 0,
  attempts: 1,
  request: {
    method: "POST",
    url: "https://models.example/v1/chat",
    headers: { authorization: "[removed]" },
    body: '{"model":"m"}',
    bytes: 19_400,
    truncated: false,
  },
  response: {
    status: 200,
    headers: {},
    body: "data: [DONE]\n\n",
    bytes: 6_200,
    truncated: false,
    firstByteMs: 510,
    ms: 2_300,
    complete: true,
  },
  ...change,
});

test("request and answer are told in a line, JSON has its lines, and events are as they came", () => {
  const html = draw(record());
  expect(html).toContain("POST models.example, 19 kB, keys removed");
  expect(html).toContain("200, first byte 510 ms, whole 2.3 s, 6 kB, as it came");
  expect(html).toContain("{\n  &quot;model&quot;: &quot;m&quot;\n}");
  expect(html).toContain("data: [DONE]\n\n");
  expect(html).not.toContain("The last of");
  expect(draw(record(), "ja")).toContain("POST models.example、19 KB、キーは削除済み");
});

test("what is not whole says so: attempts, a cut body, an answer that broke off or never came", () => {
  const { request, response } = record();
  const cut = { ...request, body: '{"model":"m', truncated: true, bytes: 3_000_000 };
  const html = draw(
    record({ attempts: 3, request: cut, response: response && { ...response, complete: false } }),
  );
  expect(html).toContain("The last of 3 requests");
  expect(html).toContain("the whole body is 3 MB");
  expect(html).toContain("The response broke off.");
  expect(draw(record({ response: null }))).toContain("No response.");
});

test("of a body of a megabyte only the beginning is drawn at first", () => {
  const { request } = record();
  const html = draw(
    record({ request: { ...request, body: JSON.stringify({ text: "x".repeat(1_000_000) }) } }),
  );
  expect(html.length).toBeLessThan(20_000);
  expect(html).toContain("Show all");
});
