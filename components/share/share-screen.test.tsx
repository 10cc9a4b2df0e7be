import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, it } from "vitest";
import { messages } from "@/app/messages";
import type { RunItem } from "@/lib/protocol/http";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import { ShareScreen } from "./share-screen";

const question =
  "Why did refunds spike on Tuesday? Compare with the deploys, and give me a query I can keep.";
const snapshot: ShareSnapshot = {
  title: "Why did refunds spike on Tuesday? Compare with the deploys,…",
  createdAt: "2026-11-22T05:41:00.000Z",
  messages: [
    {
      ...{ id: "q", parentId: null, runId: null, model: null, createdAt: "", siblings: ["q"] },
      ...{ role: "user", parts: [{ type: "text", text: question }] },
    },
    {
      ...{
        id: "a",
        parentId: "q",
        runId: null,
        model: "google/gemini-3-pro",
        createdAt: "",
        siblings: ["a"],
      },
      ...{ role: "assistant", parts: [{ type: "text", text: "They **rose**." }] },
    },
  ],
  runs: [{ id: "r", model: "google/gemini-3-pro" } as RunItem],
  modelNames: { "google/gemini-3-pro": "Gemini 3 Pro" },
};

const page = (
  more: Partial<ShareSnapshot> = {},
  expiresAt: string | null = null,
  locale: "en" | "ja" = "en",
) =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="Asia/Tokyo">
      <ShareScreen token="t" snapshot={{ ...snapshot, ...more }} expiresAt={expiresAt} isOwnReader={false} />
    </IntlProvider>,
  );

const metaOf = (html: string) =>
  /<header class="[^"]*rule-b[^>]*>.*?<p[^>]*>(.*?)<\/p>/.exec(html)?.[1]?.replace(/<[^>]+>/g, "");

it("says from the server when it was made and when it ends, in UTC by name, and the name of the model", () => {
  expect(metaOf(page({}, "2026-12-20T05:41:00.000Z"))).toBe(
    "November 22, 2026 at 05:41 UTC. Gemini 3 Pro. The link expires December 20, 2026 at 05:41 UTC.",
  );
  expect(metaOf(page({}, null, "ja"))).toBe("2026年11月22日 05:41 UTC。Gemini 3 Pro。");
  expect(metaOf(page({ modelNames: {} }))).toContain("gemini-3-pro.");
});

it("begins with the question where its title is only the beginning of it", () => {
  expect(page()).toMatch(/<h1 class="sr-only">Why did refunds/);
  expect(page({ title: "Refunds in November" })).toMatch(
    /<h1 class="(?!sr-only)[^"]*">Refunds in November<\/h1>/,
  );
});

it("has nothing that is dead without a script, and tells a stranger how to continue", () => {
  const html = page();
  expect(html).not.toMatch(/<header(?:(?!<\/header>).)*<button/);
  expect(html).toMatch(/<details><summary[^>]*>How to continue<\/summary>/);
  expect(html).toContain("<strong>rose</strong>");
});
