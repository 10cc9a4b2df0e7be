import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import { toldWords } from "@/lib/client/text/told-words";
import type { StoredMessage } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { toMarkdown } from "@/lib/protocol/told-markdown";
import { partsOf } from "@/lib/protocol/told-parts";
import { answerMarkdown } from "./answer-markdown";
import { messagesToTurns } from "./messages-to-turns";
import { runItem } from "./testing/run-item";

const { transcript } = messages.en;
const words = toldWords((key) => {
  const [head, status] = key.split(".");
  return status ? transcript.status[status as "error"] : (transcript[head as "answer"] ?? "");
});
const id = "c1" as ToolCallId;

const story: [ChatMessage, string | null][] = [
  [{ role: "user", parts: [{ type: "text", text: "Go." }] }, null],
  [
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "I look." },
        { type: "tool_call", id, name: "desk__look", args: { at: 1 } },
      ],
    },
    "r1",
  ],
  [{ role: "tool", results: [{ id, status: "ok", content: [{ type: "text", text: "```" }] }] }, "r1"],
  [{ role: "user", parts: [{ type: "text", text: "Shorter." }] }, "r1"],
  [{ role: "assistant", parts: [{ type: "text", text: "**Done.**" }] }, "r1"],
];

const stored = story.map(
  ([message, runId], at): StoredMessage => ({
    ...message,
    ...{ id: `m${at}`, parentId: at === 0 ? null : `m${at - 1}`, runId, model: "demo/demo" },
    ...{ createdAt: "2026-11-21T00:00:00.000Z", siblings: [`m${at}`] },
  }),
);

test("a copied answer reads as the exported one does, without the reasoning", async () => {
  const [turn] = messagesToTurns(stored, [runItem({ id: "r1", messageId: "m0" })]);
  const view = turn?.answer?.view ?? expect.fail("There is no answer.");
  let exported = "";
  for await (const part of partsOf(story.map(([message, runId]) => ({ message, runId, model: "demo/demo" }))))
    if (!["question", "answer", "reasoning"].includes(part.kind)) exported += toMarkdown(part, words);
  expect(answerMarkdown(view, words)).toBe(`${exported.trimEnd()}\n`);
  expect(exported).toContain("<summary>Tool call: <code>desk__look</code></summary>");
});
