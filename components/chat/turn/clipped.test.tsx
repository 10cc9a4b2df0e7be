import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import type { ToolView } from "@/lib/client/run/run-view";
import type { ToolCallId } from "@/lib/protocol/ids";
import { redactedMark } from "@/lib/protocol/redacted-text";
import { LongText } from "./long-text";
import { PastedText } from "./pasted-text";
import { ReasoningLine } from "./reasoning-line";
import { ToolWhy } from "./tool-why";

const mark = redactedMark("e-mail address", "aiko@acme.dev");
/** Of so many characters, of which the last but a few are a mark that a clip at that length would cut. */
const upTo = (characters: number) => `${"x".repeat(characters - 8)}${mark} and more of it\n${"y".repeat(99)}`;
const id = "c" as ToolCallId;
const failed = (text: string): ToolView => ({
  ...{ kind: "tool", id, state: "failed", args: {}, startedAt: null, durationMs: null, progress: null },
  call: { type: "tool_call", id, name: "shop__pay", args: {} },
  result: { id, status: "error", content: [{ type: "text", text }] },
});
const thought = (text: string) =>
  ({ kind: "reasoning", text, startedAt: 1, endedAt: 2, done: true }) as const;

test.each<[string, ReactNode]>([
  ["the reason of a failure", <ToolWhy key="" item={failed(upTo(300))} wentOn />],
  ["a thought", <ReasoningLine key="" item={thought(upTo(200))} bar={null} soFarMs={null} kept={false} />],
  ["what was pasted", <PastedText key="" text={upTo(200)} />],
  ["a long result", <LongText key="" text={upTo(4 * 1024)} />],
])("%s is clipped before what stands for a redacted text, and not within it", (_, part) => {
  const html = renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      {part}
    </IntlProvider>,
  );
  expect(html).toContain("xxx");
  expect(html).not.toMatch(/[⟦█]/);
});

test("the first line of what was pasted has blocks as the text has", () => {
  const html = renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <PastedText text={`From ${mark}\nto all`} />
    </IntlProvider>,
  );
  expect(html.match(/role="img"/g)).toHaveLength(2);
});
