import { text as readAll } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { modelHistory } from "@/lib/protocol/history";
import type { AssistantMessage, ChatMessage, UserMessage } from "@/lib/protocol/message";
import type { ExportFiles } from "./export-files";
import type { ImportedConversation } from "./imported";
import { orderTree } from "./order-tree";
import { findReader } from "./readers";
import { chatGptConversation, chatGptTree, node, words } from "./testing/chatgpt-export";
import { claudeConversation, oldClaudeConversation } from "./testing/claude-exports";
import { libreChatFlat, libreChatTree } from "./testing/librechat-exports";
import { openWebUiChat } from "./testing/openwebui-export";

const noFiles: ExportFiles = { named: () => undefined, withId: () => undefined };

function read(value: unknown): ImportedConversation {
  const reader = findReader(value);
  if (!reader) throw new Error("No reader takes it.");
  return reader.read(value as Record<string, unknown>, noFiles);
}

/** As a person reads it: each message below its parent. */
const shownAs = ({ messages }: ImportedConversation): string[] =>
  messages.map(({ id, parentId, message }) => `${parentId} > ${id} ${message.role}: ${inWords(message)}`);

function inWords(message: ChatMessage): string {
  if (message.role === "summary") return message.text;
  if (message.role === "tool")
    return message.results
      .map(
        ({ status, content }) =>
          `${status} ${content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("|")}`,
      )
      .join(", ");
  return message.parts.map(partInWords).join(" ");
}

function partInWords(part: (UserMessage | AssistantMessage)["parts"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return `(${part.text})`;
    case "file":
      return `<${part.name}>`;
    case "tool_call":
      return `${part.name}${JSON.stringify(part.args)}`;
  }
}

test("ChatGPT: branches, thoughts, code, searches, images and citations", () => {
  const conversation = read(chatGptTree);
  expect(conversation).toMatchObject({
    source: "chatgpt",
    sourceId: chatGptTree.id,
    title: "Cherry harvest",
    createdAt: 1_756_000_000_123,
    archived: true,
    leafId: "d1",
    leftOut: [{ what: "hidden_message", count: 2 }],
  });
  expect(shownAs(conversation).toSorted()).toEqual(
    [
      "null > q1 user: When are cherries ripe?",
      "q1 > a1 assistant: In June.",
      "null > q1b user: <cherries.png> When are cherries ripe in Japan? Look at <b>this</b> photo. <orchard.pdf>",
      "q1b > t1 assistant: (**Checking the season**\n\nIt differs by region.)",
      "t1 > r1 assistant: (Thought for 8s)",
      'r1 > c1 assistant: python{"code":"print(6 * 7)"}',
      "c1 > o1 tool: ok 42|<file>",
      'o1 > c2 assistant: web_run{"search_query":[{"q":"cherries japan"}]}',
      "c2 > a2-1 tool: unknown ",
      "a2-1 > a2 assistant: In May  ([Cherries  in  Japan](https://example.com/cherries_%28fruit%29)) and June .",
      "a2 > d1-1 assistant: dalle_text2im{}",
      "d1-1 > d1 tool: ok <file>",
    ].toSorted(),
  );
  expect(conversation.messages.find(({ id }) => id === "a1")?.model).toBe("gpt-4o");
  expect(conversation.files.map(({ id }) => id)).toEqual([
    "file-AbC123",
    "file-Gone9",
    "file-Plot7",
    "file_0000Dall",
  ]);
});

test("ChatGPT: old citations are links, brackets of a text stay", () => {
  const [, answer] = read(
    chatGptConversation("x", "Old", [
      node("q", null, { role: "user", content: words("?") }),
      node("a", "q", {
        role: "assistant",
        content: words("🍒 Ripe【11†source】 in【注意】June【3†x】."),
        metadata: {
          citations: [
            {
              start_ix: 6,
              end_ix: 17,
              metadata: { type: "webpage", title: "Fruit", url: "https://example.com" },
            },
            { start_ix: 0, end_ix: 1, metadata: { title: "Evil", url: "javascript:alert(1)" } },
          ],
        },
      }),
    ]),
  ).messages;
  expect(answer && inWords(answer.message)).toBe("🍒 Ripe ([Fruit](https://example.com)) in【注意】June.");
});

const ofChatGpt = (content: Record<string, unknown>, metadata = {}, more = {}) =>
  read(
    chatGptConversation("x", "Cherries", [
      node("a", null, { role: "assistant", content, metadata, ...more }),
    ]),
  );

test("ChatGPT: an address of a citation that is none is left out", () => {
  const [mark, known] = ["\ue200cite\ue202turn0\ue201", "\ue200cite\ue202turn1\ue201"];
  const references = [
    { matched_text: mark, items: [{ title: "No", url: "http://[" }] },
    { matched_text: known, items: [{ url: "https://example.com/a" }] },
  ];
  const { messages } = ofChatGpt(words(`Ripe${mark}${known}.`), { content_references: references });
  expect(messages.map(({ message }) => inWords(message))).toEqual([
    "Ripe ([example.com](https://example.com/a)).",
  ]);
});

test("what a file says without an end is read in the time that its length takes", () => {
  const text = `【1†x】${"a".repeat(900_000)}`;
  const metadata = { title: "Fruit", url: "https://example.com" };
  const citations = Array.from({ length: 10_000 }, () => ({ start_ix: 0, end_ix: -1, metadata }));
  expect(ofChatGpt(words(text), { citations }).messages).toHaveLength(1);
  const references = Array.from({ length: 20_000 }, (_, at) => ({ matched_text: `【${at}†x】` }));
  const parts = references.map((reference) => reference.matched_text);
  const cited = ofChatGpt(words(...parts), { content_references: references, citations });
  expect(cited.messages).toEqual([]);
  const sound = ofChatGpt(words({ content_type: "audio".repeat(400_000) }));
  expect(sound.leftOut).toEqual([{ what: "unknown_part", count: 1 }]);
  const named = ofChatGpt(words("{}"), {}, { recipient: `${"_".repeat(800_000)}a` });
  expect(named.messages[0]?.message).toMatchObject({ parts: [{ type: "tool_call", name: "tool" }] });
  const content = Array.from({ length: 200_000 }, (_, at) => ({
    type: at < 100_000 ? "tool_use" : "tool_result",
    name: "search",
  }));
  const calls = read({ chat_messages: [{ uuid: "a", sender: "assistant", content }] });
  expect(calls.leftOut).toEqual([]);
});

test("Claude: thoughts, calls, versions, and what was read of a document", async () => {
  const conversation = read(claudeConversation);
  expect(conversation.leftOut).toEqual([{ what: "unknown_part", count: 1 }]);
  const [question, answer, more, other] = orderTree(conversation.messages).map(({ id }) => id.slice(-3));
  expect([question, answer, more, other]).toEqual(["001", "2-1", "003", "2-2"]);
  expect(
    shownAs(conversation).map((line) => line.replaceAll("11111111-0000-4000-8000-000000000", "")),
  ).toEqual([
    "00000000-0000-4000-8000-000000000000 > 001 user: How long does jam keep? <recipe.pdf.txt> <jam.jpg>",
    '001 > 002-1 assistant: (Sugar keeps it.) web_search{"query":"jam"}',
    "002-1 > 002-2 tool: ok Jam keeps for a year.",
    "002-2 > 002 assistant: A year.",
    "001 > 003 assistant: Two years, if it is cold.",
  ]);
  const file = await conversation.files[0]?.open();
  expect(file && (await readAll(file))).toBe("Plums and sugar.");
  expect(shownAs(read(oldClaudeConversation))).toEqual([
    "null > u1 user: Hello there",
    "u1 > u2 assistant: Hello.",
  ]);
});

test("LibreChat: a tree of children, parts, and the flat list", () => {
  const short = (id: string) => id.slice(0, 8);
  const lines = shownAs(read(libreChatTree)).map((line) =>
    line.replaceAll(/([0-9a-f]{8})-[0-9a-f-]{27}/g, (id) => short(id)),
  );
  expect(lines).toEqual([
    "00000000 > 9501f99d user: How do I activate it? <env.txt>",
    '9501f99d > 4c395510-1 assistant: (They are on Linux.) Let me look. shell_mcp_box{"cmd":"ls"}',
    "4c395510-1 > 4c395510-2 tool: ok venv",
    "4c395510-2 > 4c395510 assistant: Run `source venv/bin/activate`.",
    "9501f99d > 5da2cdce assistant: (Easy.) Use the full path.",
  ]);
  expect(shownAs(read(libreChatFlat))).toEqual([
    "00000000-0000-0000-0000-000000000000 > m1 user: One?",
    "m1 > m2 assistant: One.",
  ]);
});

test("Open WebUI: thoughts and calls out of the text and out of the newer list", () => {
  const conversation = read(openWebUiChat);
  expect(conversation).toMatchObject({ pinned: true, leafId: "w4", createdAt: 1_700_001_000_000 });
  expect(shownAs(conversation)).toEqual([
    "null > w1 user: What is the weather? <image.png> <notes.docx.txt>",
    'w1 > w2-1 assistant: (Rain & wind\nlikely) I will look. get_weather{"city":"Paris"}',
    "w2-1 > w2-2 tool: ok 18C",
    "w2-2 > w2 assistant: It is 18C.",
    'w1 > w3-1 assistant: (Autumn.) get_weather{"city":"Lyon"}',
    "w3-1 > w3-2 tool: ok rain",
    "w3-2 > w3 assistant: Rain.",
    "w3 > w4 user: <script>alert(1)</script> thanks",
  ]);
});

test("a tree of LibreChat that is ten thousand deep is read", () => {
  let child: unknown;
  for (let at = 10_000; at > 0; at--)
    child = {
      messageId: `m${at}`,
      isCreatedByUser: at % 2 === 1,
      text: `${at}`,
      children: child ? [child] : [],
    };
  const { messages } = read({ conversationId: "deep", messages: [child] });
  expect(orderTree(messages).at(-1)?.id).toBe("m10000");
});

/** Paths of a fixture, each of which is replaced by anything. */
function mutate(value: unknown, path: readonly number[], replacement: unknown): unknown {
  if (typeof value !== "object" || value === null || path.length === 0) return replacement;
  const entries = Object.entries(value);
  const [first = 0, ...rest] = path;
  const at = entries.length === 0 ? 0 : first % entries.length;
  const changed = entries.map(([key, inner], index) => [
    key,
    index === at ? mutate(inner, rest, replacement) : inner,
  ]);
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}

test.each([
  ["ChatGPT", chatGptTree],
  ["Claude", claudeConversation],
  ["LibreChat", libreChatTree],
  ["Open WebUI", openWebUiChat],
])(
  "%s: whatever stands in place of a part is read or left out, and a model takes every branch of it",
  (_, fixture) => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }), fc.jsonValue()), {
          maxLength: 4,
        }),
        (changes) => {
          const value = changes.reduce<unknown>((one, [path, other]) => mutate(one, path, other), fixture);
          if (!findReader(value)) return;
          const messages = orderTree(read(value).messages);
          const byId = new Map(messages.map((message) => [message.id, message]));
          for (const leaf of messages) {
            const branch: ChatMessage[] = [];
            for (
              let at = byId.get(leaf.id);
              at;
              at = at.parentId === null ? undefined : byId.get(at.parentId)
            )
              branch.unshift(at.message);
            expectAccepted(modelHistory(branch));
          }
        },
      ),
      { numRuns: 300 },
    );
  },
);

function expectAccepted(history: readonly ChatMessage[]): void {
  for (const [at, message] of history.entries()) {
    if (message.role !== "assistant") continue;
    const calls = message.parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
    const next = history[at + 1];
    if (calls.length > 0) expect(next?.role === "tool" && next.results.map(({ id }) => id)).toEqual(calls);
  }
  expect(history.at(-1)?.role).not.toBe("assistant");
}
