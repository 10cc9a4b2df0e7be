import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, it } from "vitest";
import { type Locale, messages } from "@/app/messages";
import type { ApprovalRequest } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { PlanOutside, PlanStep } from "@/lib/protocol/plan";
import { OutsidePlan } from "./outside-plan";
import PlanCard from "./plan-card";

const id = "p" as ToolCallId;
const steps: PlanStep[] = [
  { tool: "postgres__query", max: 3, fixed: {}, used: 0, readOnly: true },
  { tool: "payments__refund", max: 1, fixed: { ids: [1, 2], note: "a\u202eb" }, used: 0, destructive: true },
];
const request: ApprovalRequest = {
  type: "approval_request",
  requestId: id,
  call: { type: "tool_call", id, name: "meguri__propose_plan", args: {} },
  reason: "plan",
  plan: { steps },
};

function draw(locale: Locale, element: React.ReactNode): string {
  const html = renderToStaticMarkup(
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
      {element}
    </IntlProvider>,
  );
  return html.replaceAll(/<[^>]+>/g, "\n").replaceAll(/\s*\n\s*/g, "\n");
}

const card = (locale: Locale) =>
  draw(
    locale,
    <PlanCard
      request={request}
      onAnswer={async () => {}}
      {...{ since: null, isOpen: true, isArriving: false, next: undefined, number: 1, count: 1 }}
      onStep={() => {}}
      onStop={() => {}}
      takesFocus={() => false}
    />,
  );

it("says how many calls, which can destroy, and what each argument is fixed to", () => {
  const words = card("en");
  expect(words).toContain("Allow these 4 calls in advance?");
  expect(words).toContain("One step can delete or overwrite data");
  expect(words).toContain("only reads");
  expect(words).toMatch(/ids\n ?= ?\[1,2\]/);
  // What cannot be seen is written out.
  expect(words).not.toContain("\u202e");
  expect(card("ja")).toContain("この 4 回の呼び出しをまとめて許可しますか？");
});

it("says what keeps a call out of the plan, and what the plan says in its place", () => {
  const plan = { steps, state: "holds" as const };
  const outside = (each: PlanOutside) => draw("en", <OutsidePlan outside={each} plan={plan} />);
  expect(outside({ why: "arguments", step: 1, arguments: ["ids", "toString"] })).toMatch(
    /other arguments\.\nids\noutside the plan\n, which says \[1,2\]\ntoString\noutside the plan\n, which says …/,
  );
  expect(outside({ why: "used_up", step: 0 })).toContain("all its calls are used up");
  expect(outside({ why: "tool" })).toContain("not in the plan");
});
