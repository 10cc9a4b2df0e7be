import { expect, test } from "vitest";
import type { ChatMessage, StoredFile, ToolResult } from "@/lib/protocol/message";
import type { Turn } from "./ports";
import { asks, ok, scriptedProvider, stop, text, toolCall } from "./testing/scripted";
import { withStoredFiles } from "./with-stored-files";

const photo: StoredFile = {
  type: "file",
  mediaType: "image/png",
  attachmentId: "p1",
  size: 3,
  name: "a.png",
};
const note: StoredFile = {
  type: "file",
  mediaType: "text/plain",
  attachmentId: "n1",
  size: 3,
  characters: 3,
};
const question: ChatMessage = { role: "user", parts: [photo, note, { type: "text", text: "What is it?" }] };
const tool = { name: "s__t", description: "", inputSchema: {} };

const read = async ({ attachmentId }: StoredFile) =>
  attachmentId === "p1" ? { data: "AAAA" } : { text: "Hi." };

/** What the model is sent for these turns, by the tools of each. */
async function sent(history: readonly ChatMessage[], ...tools: Turn["tools"][]) {
  const model = scriptedProvider(...tools.map(() => [text("Yes."), stop("end_turn")]));
  const provider = withStoredFiles(model, read);
  const { signal } = new AbortController();
  for (const each of tools)
    for await (const _ of provider.stream({ system: "", history, tools: each, signal }));
  return model.turns.map((turn) => turn.history);
}

test("where there are tools, the model reads how to hand a file to one, and nothing of it elsewhere", async () => {
  const [with_, without] = await sent([question], [tool], []);
  const file = { type: "file", mediaType: "image/png", data: "AAAA", name: "a.png" };
  expect(with_?.[0]).toEqual({
    role: "user",
    parts: [
      { type: "text", text: '[File a.png, image/png. As an argument of a tool: "attachment:p1".]' },
      file,
      {
        type: "text",
        text: '[File, text/plain. As an argument of a tool: "attachment:n1". It reads:]\nHi.\n[End of the file.]',
      },
      { type: "text", text: "What is it?" },
    ],
  });
  expect(without?.[0]).toMatchObject({
    parts: [file, { text: "[File, text/plain. It reads:]\nHi.\n[End of the file.]" }, {}],
  });
});

test("a message stays the same object in each turn of a run", async () => {
  const [first, second] = await sent([question], [tool], [tool]);
  expect(first?.[0]).toBe(second?.[0]);
  const [untouched] = await sent(asks, [tool]);
  expect(untouched?.[0]).toBe(asks[0]);
});

test("a file that a tool has returned can be handed on, but for one that is for people alone", async () => {
  const content: ToolResult["content"] = [
    { type: "file", mediaType: "image/png", data: "BBBB", id: "i1" },
    { type: "file", mediaType: "image/png", data: "CCCC" },
    { ...photo, audience: "user" },
  ];
  const history: ChatMessage[] = [
    ...asks,
    { role: "assistant", parts: [toolCall("a")] },
    { role: "tool", results: [{ ...ok(toolCall("a").id), content }] },
  ];
  const [turn] = await sent(history, [tool]);
  expect(turn?.[2]).toMatchObject({
    results: [
      {
        content: [
          { type: "text", text: '[File, image/png. As an argument of a tool: "attachment:i1".]' },
          { type: "file", data: "BBBB" },
          { type: "file", data: "CCCC" },
          { attachmentId: "p1", audience: "user" },
        ],
      },
    ],
  });
});
