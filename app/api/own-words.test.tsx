import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { afterAll, expect, test } from "vitest";
import { messages } from "@/app/messages";
import { ToolWhy } from "@/components/chat/turn/tool-why";
import { openRunView, reduceRun } from "@/lib/client/run/reduce-run";
import type { ConversationDetail } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, fail, say } from "@/lib/providers/testing/steps";
import { callApi, type ReadStream, readStream, withApplication } from "./testing/call-api";

/** What the server says of its failures; the second is word for word what Meguri writes after a crash. */
const words = ["Not run: nothing was deleted.", "Not run: the server stopped before it was sent."];

const model = await startOpenAiServer([
  [callTools(...words.map((text) => ({ name: "meta__fail", args: { words: text } })))],
  [fail(400, "no")],
  [say("Done.")],
]);
afterAll(() => model.close());

withApplication(
  { meta: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "meta"] } },
  { TOOL_APPROVAL: "allow", OPENAI_BASE_URL: model.url },
);

test("a server's own words that sound like ours are its own: in the log, the history, after resuming and in the page", async () => {
  const message = { text: "Delete it" };
  const broken = await readStream(
    await callApi("POST", "/api/chat", { message, model: "openai/test-model" }),
  );
  expect(broken.status).toBe("failed");
  const theirs = words.map((text) => ({ status: "error", content: [{ type: "text", text }] }));
  const results = broken.chunks.flatMap((chunk) => (chunk.type === "tool_result" ? chunk.result : []));
  expect(results.map(({ id: _, ...result }) => result)).toEqual(theirs);

  const resumed = await callApi("POST", `/api/runs/${broken.runId}/resume`, {});
  const next = await readStream(await callApi("GET", `/api/runs/${(await resumed.json()).runId}/stream`));
  expect([next.status, next.chunks.some(({ type }) => type === "tool_start")]).toEqual(["completed", false]);
  const path = `/api/conversations/${broken.conversationId}`;
  const detail: ConversationDetail = await (await callApi("GET", path)).json();
  const rounds = detail.messages.flatMap((stored) => (stored.role === "tool" ? stored.results : []));
  expect(rounds.map(({ id: _, ...result }) => result)).toEqual(theirs);

  expect(shown(broken)).toEqual(words.map((text) => `Failed: ${text} The model was told and continued.`));
});

/** What the page writes under each call. */
function shown({ chunks, runId }: ReadStream): string[] {
  const { loops } = chunks.reduce(reduceRun, openRunView(runId));
  return loops
    .flatMap(({ items }) => items)
    .flatMap((item) => {
      if (item.kind !== "tool") return [];
      const html = renderToStaticMarkup(
        <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
          <ToolWhy item={item} wentOn />
        </IntlProvider>,
      );
      return html.replace(/<[^>]*>/g, "");
    });
}
