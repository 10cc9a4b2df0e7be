import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, it } from "vitest";
import { messages } from "@/app/messages";
import type { ToolView } from "@/lib/client/run/run-view";
import type { ToolCallId } from "@/lib/protocol/ids";
import { ToolWhy } from "./tool-why";

it("names the crash of a server under the call that it left open", () => {
  expect(why("shop ended with exit code 3 while the call was on its way.")).toBe(
    "Outcome unknown: shop ended with exit code 3 while the call was on its way. It may have taken effect.",
  );
  expect(why("shop ended by SIGKILL while the call was on its way.")).toContain("shop ended by SIGKILL");
});

it("says of what nobody knows that no answer came", () => {
  expect(why("Sent, but it ended before an answer came: it failed on our side.")).toBe(
    "Outcome unknown: it was sent, but no response came. It may have taken effect.",
  );
});

function why(text: string): string {
  const id = "c" as ToolCallId;
  const item: ToolView = {
    ...{ kind: "tool", id, state: "unknown", args: {}, startedAt: null, durationMs: null, progress: null },
    call: { type: "tool_call", id, name: "shop__pay", args: {} },
    result: { id, status: "unknown", content: [{ type: "text", text }] },
  };
  const html = renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <ToolWhy item={item} wentOn />
    </IntlProvider>,
  );
  return html.replace(/<[^>]*>/g, "");
}
