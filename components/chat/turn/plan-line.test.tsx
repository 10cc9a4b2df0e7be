import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, it } from "vitest";
import { messages } from "@/app/messages";
import type { PlanView } from "@/lib/client/run/plan-view";
import { PlanLine, TurnPlansContext } from "./plan-line";

const plan: PlanView = {
  steps: [
    { tool: "postgres__query", max: 3, fixed: {}, used: 2, readOnly: true },
    { tool: "slack__post", max: 1, fixed: { channel: "#billing" }, used: 1 },
    { tool: "slack__post", max: 200, fixed: {}, used: 0 },
  ],
  state: "holds",
};

const draw = (shown: PlanView, takeBack?: () => void) =>
  renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <TurnPlansContext value={{ plans: new Map(), takeBack }}>
        <PlanLine plan={shown} />
      </TurnPlansContext>
    </IntlProvider>,
  );

it("has a mark for each call, filled once it was sent, and figures alone for many", () => {
  const html = draw(plan, () => {});
  expect([...html.matchAll(/data-used="(\w+)"/g)].map(([, used]) => used)).toEqual([
    "true",
    "true",
    "false",
    "true",
  ]);
  expect(html).toContain("3 of 204 calls used");
  for (const words of ["2 of 3", "used up", "0 of 200", "#billing", "only reads"])
    expect(html).toContain(words);
});

it("is taken back only while it holds, and not by who only reads", () => {
  expect(draw(plan, () => {})).toContain("Take it back");
  expect(draw(plan)).not.toContain("Take it back");
  const back = draw({ ...plan, state: "takenBack" }, () => {});
  expect(back).not.toContain("Take it back<");
  expect(back).toContain("Taken back: its calls ask again.");
});
