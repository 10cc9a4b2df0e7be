import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import { baseOf } from "@/lib/client/run/compare-base";
import type {
  ComparedCallItem,
  ComparedCell,
  ComparedRun,
  RunComparison,
} from "@/lib/protocol/run-comparison";
import { CompareCell } from "./compare-cell";
import { CompareFigures } from "./compare-figures";

const usage = { inputTokens: 1_200, outputTokens: 30 };
const call = (path: string, sent: boolean): ComparedCallItem => ({
  ...{ name: "files__read", args: { path, deep: [{ a: 1 }] }, status: "ok", sent, durationMs: 12 },
});
const cell = (text: string, ...calls: ComparedCallItem[]): ComparedCell => ({ text, calls, usage });
const rows: RunComparison["rows"] = [
  { turn: 1, cells: [cell("I look.", call("a", true), call("b", true)), cell("I look.", call("a", false))] },
  { turn: 2, cells: [cell("It is empty today."), cell("", call("c", true))] },
  { turn: 3, cells: [null, cell("It is empty tonight.")] },
];
const draw = (locale: "en" | "ja", part: React.ReactNode) =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
      {part}
    </IntlProvider>,
  );
const at = (row: number, locale: "en" | "ja" = "en") => {
  const own = rows[row]?.cells[1];
  return own ? draw(locale, <CompareCell cell={own} base={baseOf(rows, row, 1, [2, 3])} isTape />) : "";
};

test("what is the same is pale and comes from the recording; a call that was not made says so", () => {
  const html = at(0);
  expect(html).toContain("from the recording");
  expect(html.match(/data-difference/g)).toHaveLength(1);
  expect(html).toContain("no call of files · read");
  expect(at(0, "ja")).toContain("記録から");
});

test("another call is a difference, and the words that end an answer are compared with those that end the first", () => {
  expect(at(1)).toContain("data-difference");
  const html = at(2);
  expect(html).toContain("<del>today</del>");
  expect(html).toContain("<ins>tonight</ins>");
});

test("figures stand once, with the difference of two in words", () => {
  const run = (id: string, more: Partial<ComparedRun>): ComparedRun => ({
    ...{ id, conversationId: "c", messageId: "m", question: "", model: `demo/${id}`, status: "completed" },
    ...{ startedAt: "2026-01-01T00:00:00.000Z", usage, cost: null, latencyMs: 2_000, turns: 2, calls: 2 },
    ...{ error: null, ...more },
  });
  const runs = [run("one", {}), run("two", { latencyMs: 1_000, turns: 3 })];
  const html = draw("en", <CompareFigures runs={runs} />);
  for (const words of ["50% less", "1 more", "the same", "1,200", "unknown"]) expect(html).toContain(words);
  expect(draw("ja", <CompareFigures runs={runs} />)).toContain("50% 少ない");
  expect(draw("en", <CompareFigures runs={[...runs, run("three", {})]} />)).not.toContain("less");
});
