import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, it } from "vitest";
import { type Locale, messages } from "@/app/messages";
import type { ToolView } from "@/lib/client/run/run-view";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ResultReason } from "@/lib/protocol/message";
import { ToolWhy } from "./tool-why";

it("names the crash of a server under the call that it left open", () => {
  expect(why("unknown", "shop ended with exit code 3 while the call was on its way.", "unfinished")).toBe(
    "Outcome unknown: shop ended with exit code 3 while the call was on its way. It may have taken effect.",
  );
});

it("says of what nobody knows that no answer came", () => {
  expect(why("unknown", "Sent, but it ended before an answer came: it failed on our side.")).toBe(
    "Outcome unknown: it was sent, but no response came. It may have taken effect.",
  );
});

it("says what was not run, once, and why", () => {
  expect(why("error", "Not run: shop is not connected.", "not_run")).toBe(
    "Not run: shop is not connected. The model was told and continued.",
  );
  expect(why("error", "There is no tool shop__pay.", "not_run")).toBe(
    "Not run: There is no tool shop__pay. The model was told and continued.",
  );
  expect(why("denied", "The rule mcp:shop:pay forbids this tool.", "not_run")).toBe(
    "Not run: The rule mcp:shop:pay forbids this tool. The model was told and continued.",
  );
});

it("goes by the reason and by no words", () => {
  const failed = "Failed: Not run: nothing was deleted. The model was told and continued.";
  expect(why("error", "Not run: nothing was deleted.")).toBe(failed);
  expect(why("denied", "The user declined this call.", "declined")).toMatch(/^Denied by you\. /);
  expect(why("denied", "Not run: I do it myself.")).toContain("Denied by you: “Not run: I do it myself”.");
});

it("puts a space after the full stop of a server, and none after ours", () => {
  expect(why("error", "No such table.", undefined, "ja")).toBe(
    "失敗：No such table. モデルに伝えて続行しました。",
  );
  expect(why("denied", "今は不要", undefined, "ja")).toBe(
    "拒否しました：「今は不要」。モデルに伝えて続行しました。",
  );
});

type Status = "error" | "denied" | "unknown";

function why(status: Status, text: string, reason?: ResultReason, locale: Locale = "en"): string {
  const id = "c" as ToolCallId;
  const item: ToolView = {
    ...{
      kind: "tool",
      id,
      state: status === "error" ? "failed" : status,
      args: {},
      startedAt: null,
      durationMs: null,
      progress: null,
    },
    call: { type: "tool_call", id, name: "shop__pay", args: {} },
    result: { id, status, ...(reason && { reason }), content: [{ type: "text", text }] },
  };
  const html = renderToStaticMarkup(
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
      <ToolWhy item={item} wentOn />
    </IntlProvider>,
  );
  return html.replace(/<[^>]*>/g, "");
}
