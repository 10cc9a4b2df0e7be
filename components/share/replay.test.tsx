import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, it } from "vitest";
import { messages } from "@/app/messages";
import { runItem } from "@/lib/client/run/testing/run-item";
import type { StoredMessage } from "@/lib/protocol/http";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import SharedReplay from "./replay";

const place = { parentId: null, model: null, createdAt: "2026-11-22T05:41:00.000Z", siblings: [] };
const snapshot: ShareSnapshot = {
  ...{ title: "Refunds", createdAt: place.createdAt },
  messages: [
    { ...place, id: "q", runId: null, role: "user", parts: [{ type: "text", text: "Why?" }] },
    { ...place, id: "a", runId: "r1", role: "assistant", parts: [{ type: "text", text: "They rose." }] },
  ] as StoredMessage[],
  runs: [runItem({ messageId: "q" })],
  replay: {
    runs: [
      {
        ...{ runId: "r1", from: 1_000 },
        steps: [
          { at: 0, is: "loop", index: 1 },
          { at: 0, is: "ask" },
          { at: 40_000, is: "answer" },
          { at: 41_000, is: "part", message: 1, part: 0, to: 10 },
          { at: 43_000, is: "turn", stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } },
          { at: 43_000, is: "end", stopReason: "end_turn" },
        ],
      },
    ],
  },
};

const page = (locale: "en" | "ja") =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
      <SharedReplay snapshot={snapshot} expiresAt={null} paper={{ current: null }} />
    </IntlProvider>,
  );

it("begins with the question, holds what is not said yet, and tells its times and waits in words", () => {
  const html = page("en");
  expect(html).toContain("Why?");
  expect(html).toMatch(/opacity-\[\.42\].*They rose\./s);
  expect(html).toContain('aria-valuetext="0:00.0 of 0:05.0, loop 1"');
  // The clock is that of the run.
  expect(html).not.toMatch(/\d{3,}:\d\d/);
  expect(html).toContain("waited 40.0 s, shortened");
  expect(page("ja")).toContain("待ち時間 40.0 s を短縮");
});
