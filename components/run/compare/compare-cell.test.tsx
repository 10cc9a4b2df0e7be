import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import { baseOf, matchCalls, rowDiffers } from "@/lib/client/run/compare-base";
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
  return own ? draw(locale, <CompareCell cell={own} base={baseOf(rows, row, 1, [2, 3])} run={onTape} />) : "";
};
const onTape: Pick<ComparedRun, "rerunOf" | "status" | "error"> = {
  ...{ rerunOf: { runId: "r", tape: "ask" }, status: "completed", error: null },
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

test("in other arguments the words that differ are shown, and no call is missing for that", () => {
  const base = cell("", call("notes/monday.md", true), call("same", true));
  const now = cell("", call("same", false), call("notes/tuesday.md", true));
  const html = draw("en", <CompareCell cell={now} base={base} run={onTape} />);
  expect(html).toContain("<del>monday</del>");
  expect(html).toContain("<ins>tuesday</ins>");
  expect(html).not.toContain("no call of");
  expect(html.match(/data-difference/g)).toHaveLength(1);
  // Each call of the first answer stands for one.
  const twice = matchCalls([call("same", true), call("same", true)], base.calls);
  expect(twice.matched.map(({ isSame, was }) => [isSame, was?.args.path])).toEqual([
    [true, undefined],
    [false, "notes/monday.md"],
  ]);
  expect(twice.missing).toEqual([]);
});

test.each([
  ["it was called", call("x", true), onTape],
  ["You allowed it", { ...call("x", true), missed: true as const }, onTape],
  ["You denied it", { ...call("x", false), missed: true as const, status: "denied" as const }, onTape],
  [
    "it waits for your answer",
    { ...call("x", false), missed: true as const, status: "open" as const },
    { ...onTape, status: "waiting" as const },
  ],
  [
    "the answer ended here",
    { ...call("x", false), status: "open" as const },
    { ...onTape, status: "failed" as const, error: { code: "tape_miss", message: "" } },
  ],
])("what is not in the recording says so: %s", (words, missed, run) => {
  expect(draw("en", <CompareCell cell={cell("", missed)} base={cell("")} run={run} />)).toContain(words);
  expect(draw("ja", <CompareCell cell={cell("", missed)} base={cell("")} run={run} />)).toContain("記録に");
  const { rerunOf: _, ...plain } = run;
  const html = draw("en", <CompareCell cell={cell("", missed)} base={cell("")} run={plain} />);
  expect(html).not.toContain("Not in the recording");
});

test("a loop differs by its words, its calls, or by being there alone", () => {
  const of = (...cells: (ComparedCell | null)[]) => rowDiffers([{ turn: 1, cells }], 0, [1, 1]);
  expect(of(cell("a", call("x", true)), cell("a", call("x", false)))).toBe(false);
  expect(of(cell("a"), cell("b"))).toBe(true);
  expect(of(cell("a"), cell("a", call("x", true)))).toBe(true);
  expect(of(cell("a", call("x", true)), cell("a"))).toBe(true);
  expect(rowDiffers(rows, 2, [2, 3])).toBe(true);
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
