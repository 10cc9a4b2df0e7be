import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { describe, expect, it } from "vitest";
import { messages } from "@/app/messages";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import { RawResult, Result } from "./tool-result";

const order = {
  id: "A-20417",
  customer: { name: "Aiko Tanaka", email: "aiko@example.test" },
  items: [
    { sku: "TEA-01", qty: 2 },
    { sku: "CUP-07", qty: 1 },
  ],
  total: 5800,
};

describe("what came back, as it reads best", () => {
  it("shows all of an object: its single values by their names, then what is nested, lists of one kind as tables", () => {
    for (const result of [{ content: text(JSON.stringify(order)) }, { content: [], structured: order }]) {
      expect(words(result)).toBe(
        "id A-20417 total 5800 customer {2} name Aiko Tanaka email aiko@example.test items [2] sku qty TEA-01 2 CUP-07 1",
      );
    }
  });

  it("is a table alone only where there is nothing beside its rows", () => {
    expect(words({ content: text(JSON.stringify({ items: order.items })) })).toBe(
      "sku qty TEA-01 2 CUP-07 1",
    );
    expect(words({ content: text(JSON.stringify({ items: order.items, next: null })) })).toContain(
      "next null",
    );
  });

  it("keeps what stands beside a table: text that says something else, and files", () => {
    const file = { type: "file" as const, mediaType: "text/csv", data: "YQ==", name: "orders.csv" };
    const said = words({
      content: [...text("Two of 40 are shown."), file],
      structured: { items: order.items },
    });
    expect(said).toMatch(/^Two of 40 are shown\. sku qty TEA-01 2 CUP-07 1 .*orders\.csv/);
  });

  it("shows what text and structured content both say once", () => {
    const said = words({ content: text(JSON.stringify(order, null, 4)), structured: order });
    expect(said.match(/Aiko Tanaka/g)).toHaveLength(1);
    expect(words({ content: text("done"), structured: { result: "done" } })).toBe("done");
  });

  it("leaves no column out: rows with more than fit are shown by their names", () => {
    const wide = Array.from({ length: 13 }, (_, at) => ({ same: at, [`only${at}`]: "x" }));
    expect(words({ content: text(JSON.stringify(wide)) })).toContain("only12 x");
  });
});

describe("what came back, raw", () => {
  it("is what the server sent, JSON with a line for each value", () => {
    const shown = raw({ content: text('{"id":1234567890123456789,"to":"a\\"b"}'), structured: { ok: true } });
    expect(shown).toContain('{\n  "id": 1234567890123456789,\n  "to": "a\\"b"\n}');
    expect(shown).toContain("structuredContent");
    expect(shown).toContain('{\n  "ok": true\n}');
    expect(raw({ content: text("line one\nline two") })).toContain("line one\nline two");
  });
});

const text = (value: string) => [{ type: "text" as const, text: value }];

type Part = Pick<ToolResult, "content" | "structured">;

const whole = (result: Part): ToolResult => ({ id: "c" as ToolCallId, status: "ok", ...result });

const words = (result: Part) =>
  html(<Result result={whole(result)} server="shop" />)
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

const raw = (result: Part) => plain(html(<RawResult result={whole(result)} />).replace(/<[^>]*>/g, ""));

const plain = (markup: string) => markup.replaceAll("&quot;", '"').replaceAll("&amp;", "&");

function html(element: React.ReactNode): string {
  return renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      {element}
    </IntlProvider>,
  );
}
