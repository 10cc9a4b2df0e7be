import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import type { Matrix, MatrixCell } from "@/lib/protocol/matrix";
import { MatrixBudget } from "./matrix-budget";
import { MatrixCellWords } from "./matrix-cell-words";
import { MatrixGrid } from "./matrix-grid";

const usage = { inputTokens: 6_500, outputTokens: 102 };
const cell = (more: Partial<MatrixCell> = {}): MatrixCell => ({
  ...{ runId: "r", model: "a/one", result: "x", last: "x", status: "completed", usage, cost: 0.0021 },
  ...{ latencyMs: 7_600, loops: 2, calls: 3, sent: 0, sameCalls: true, sameAnswer: true, asks: null },
  ...{ error: null, conversationId: "c", messageId: "m", ...more },
});
const draw = (part: React.ReactNode, locale: "en" | "ja" = "en") =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
      {part}
    </IntlProvider>,
  );
const nothing = () => {};
const router = {
  ...{
    back: nothing,
    forward: nothing,
    refresh: nothing,
    push: nothing,
    replace: nothing,
    prefetch: nothing,
  },
  ...{ bfcacheId: "", experimental_gesturePush: nothing },
};
const matrix = (cells: MatrixCell[]): Matrix => ({
  ...{ id: "m", createdAt: "2026-01-01T00:00:00.000Z", status: "paused", tape: "ask", unpriced: "ask" },
  ...{ budget: { cost: 0.5, tokens: 9_000 }, spent: { tokens: 6_602, cost: 0.51 } },
  tapes: [],
  ...{ models: [...new Set(cells.map(({ model }) => model))], cells },
});
const words = (of: MatrixCell, locale: "en" | "ja" = "en") =>
  draw(<MatrixCellWords cell={of} tape="ask" isCheapest />, locale).replaceAll(/<[^>]+>/g, "|");

test("a cell says how it differs, what it took and what it cost", () => {
  const told = words(cell({ sent: 1 }));
  for (const part of ["same calls and answer", "2 loops, 7.6 s, 6,602 tokens", "$0.0021", "1 call made"])
    expect(told).toContain(part);
  expect(words(cell({ cost: null }), "ja")).toContain("料金不明");
  expect(draw(<MatrixCellWords cell={cell()} tape="ask" isCheapest />)).toContain("font-semibold");
});

test("one that does not go on says why", () => {
  const asks = { kind: "call", tool: "chat__post_message", limit: null } as const;
  expect(words(cell({ status: "waiting", asks }))).toContain("post_message isn’t recorded");
  expect(words(cell({ status: "waiting", asks: { kind: "limit", tool: null, limit: "price" } }))).toContain(
    "its price is unknown",
  );
  expect(words(cell({ status: "paused" }), "ja")).toContain("予算を増やすと続きます");
  const error = { code: "tape_miss", message: "Not there." };
  expect(words(cell({ status: "failed", error }))).toContain("Not there.");
});

test("the totals of a model say nothing before it has begun, and name what has no price", () => {
  const other = { model: "a/two", cost: null };
  const cells = [cell(), cell({ ...other, status: "queued", loops: 0 }), cell({ cost: null }), cell(other)];
  const totals = (of: MatrixCell[]) => {
    const grid = (
      <AppRouterContext value={router}>
        <MatrixGrid matrix={matrix(of)} picked={0} onPick={nothing} />
      </AppRouterContext>
    );
    return [...draw(grid).matchAll(/<dd>(.*?)<\/dd>/g)].map(([, said]) => said);
  };
  expect(totals(cells)).toEqual(["15.2 s, $0.0021, 1 without a price", "7.6 s, no price"]);
  expect(totals(cells.slice(0, 2))).toEqual(["7.6 s, $0.0021", "–"]);
});

test("a budget that is used up asks for twice as much, of each limit", () => {
  const paused = matrix([cell(), cell({ status: "queued" })]);
  const told = draw(<MatrixBudget matrix={paused} onChange={nothing} />);
  for (const part of ["$0.51", "1 of 2 done, 1 queued", 'aria-valuenow="100"', 'value="1"', 'value="18000"'])
    expect(told).toContain(part);
  expect(draw(<MatrixBudget matrix={{ ...paused, status: "running" }} onChange={nothing} />)).not.toContain(
    "used up",
  );
});
