import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, it } from "vitest";
import { messages } from "@/app/messages";
import type { ApprovalRequest, BudgetRequest } from "@/lib/protocol/chunk";
import { useAskedWords } from "./use-asked-words";

it("names what a call is for", () => {
  expect(titles("write_file", { path: "notes/today.md", content: "x" })).toEqual([
    "Allow “write file” for notes/today.md?",
    "notes/today.md への「write file」を許可しますか？",
  ]);
});

it("says what a call without a name moves as a sentence", () => {
  const refunds = { amount_total: 182_400, order_ids: Array.from({ length: 14 }, String) };
  expect(titles("create_refunds", refunds)).toEqual([
    "Allow “create refunds” with amount total 182,400 and 14 order ids?",
    "「create refunds」（amount total 182,400、order ids 14 件）を許可しますか？",
  ]);
  expect(titles("create_refunds", { order_ids: ["A-1", "A-2"] })).toEqual([
    "Allow “create refunds” with 2 order ids?",
    "「create refunds」（order ids 2 件）を許可しますか？",
  ]);
});

it("asks for the tool alone where nothing tells what it is about", () => {
  expect(titles("wipe", { force: true })).toEqual(["Allow “wipe”?", "「wipe」を許可しますか？"]);
});

it("asks for what would be sent, not for what was changed", () => {
  const refund = { amount_total: 182_400, order_ids: ["A-1", "A-2"] };
  expect(titles("create_refunds", refund, { ...refund, amount_total: 1_824 })[0]).toBe(
    "Allow “create refunds” with amount total 1,824 and 2 order ids?",
  );
  expect(titles("write_file", { path: "notes/today.md" }, { path: "notes/later.md" })[0]).toBe(
    "Allow “write file” for notes/later.md?",
  );
});

it("says that a limit of money cannot be kept, and where a price is entered", () => {
  const request = { type: "budget_request", requestId: "b", limit: "price", of: 0.5, used: {} } as const;
  expect(wordsOf(request, "en")).toBe(
    "The price of this model is unknown, so the limit of $0.5 can’t be kept. Continue?|" +
      "Enter its price in Settings → Limits and prices, or continue without a limit on the cost.",
  );
  expect(wordsOf(request, "ja")).toMatch(
    /^このモデルの料金が不明なため、上限 .*0\.5.* を守れません。続けますか？\|「設定」→「上限と料金」/,
  );
});

function wordsOf(request: BudgetRequest, locale: "en" | "ja"): string {
  return renderToStaticMarkup(
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
      <Words request={request} />
    </IntlProvider>,
  );
}

function Words({ request }: { request: BudgetRequest }) {
  const { title, what } = useAskedWords(request);
  return `${title}|${what}`;
}

type Args = ApprovalRequest["call"]["args"];

/** Of the question in English and in Japanese. */
function titles(tool: string, args: Args, changed?: Args): string[] {
  const request = {
    type: "approval_request",
    reason: "rule",
    call: { name: `shop__${tool}`, server: "shop", tool, args },
  } as unknown as ApprovalRequest;
  return (["en", "ja"] as const).map((locale) =>
    renderToStaticMarkup(
      <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
        <Title request={request} changed={changed} />
      </IntlProvider>,
    ),
  );
}

function Title({ request, changed }: { request: ApprovalRequest; changed: Args | undefined }) {
  return useAskedWords(request, changed).title;
}
