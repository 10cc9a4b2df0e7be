import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, it } from "vitest";
import { messages } from "@/app/messages";
import { ReasoningLine } from "./reasoning-line";

it("a thought is in italics, and upright in characters that have none", () => {
  expect(shown("First the refunds per day.")).toContain("italic");
  expect(shown("まず日ごとの返金、次にリリースの時刻")).not.toContain("italic");
});

function shown(text: string): string {
  const item = { kind: "reasoning", text, startedAt: 1, endedAt: 2, done: true } as const;
  return renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <ReasoningLine item={item} bar={null} soFarMs={null} kept={false} />
    </IntlProvider>,
  );
}
