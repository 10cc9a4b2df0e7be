import { expect, test } from "vitest";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { singly } from "./chunks-in";
import type { Provider, Turn } from "./ports";
import { call, stop, text } from "./testing/scripted";
import { withStopWords } from "./with-stop-words";

const turn: Turn = {
  system: "",
  history: [{ role: "user", parts: [{ type: "text", text: "Count." }] }],
  tools: [],
  signal: new AbortController().signal,
};

/** What comes of this turn, and whether the model was told that nobody reads on. */
async function read(words: string[], ...script: ModelChunk[]) {
  let isLeft = false;
  const model: Provider = {
    async *stream() {
      try {
        yield* script;
        await Promise.resolve();
      } finally {
        isLeft = true;
      }
    },
  };
  const chunks: ModelChunk[] = [];
  for await (const chunk of singly(withStopWords(model, words).stream(turn))) chunks.push(chunk);
  return { chunks, isLeft };
}

const end = {
  type: "usage",
  stopReason: "end_turn",
  inputTokens: expect.any(Number),
  outputTokens: expect.any(Number),
};

test.each([
  ["in one piece", ["a STOP b"], ["a "]],
  ["over several", ["a S", "T", "OP b"], ["a "]],
  ["at the beginning", ["ST", "OP b"], []],
  ["twice begun", ["SSTOP"], ["S"]],
  ["twice begun over several", ["SS", "STOP"], ["S", "S"]],
])("a turn ends before a word %s, and the model is left", async (_, pieces, told) => {
  const { chunks, isLeft } = await read(
    ["STOP", "never"],
    ...pieces.map((piece) => text(piece)),
    stop("max_tokens"),
  );
  expect(chunks).toEqual([...told.map((piece) => text(piece)), end]);
  expect(isLeft).toBe(true);
});

test("the word that comes first counts, and what only begins like one is told", async () => {
  expect((await read(["two", "one"], text("one two"))).chunks).toEqual([end]);
  const { chunks } = await read(["STOP"], text("a S"), text("TO"), stop("end_turn"));
  expect(chunks).toEqual([text("a "), text("STO"), stop("end_turn")]);
});

test("what was held back comes before a call", async () => {
  const { chunks } = await read(["STOP"], text("a ST"), call("c", "desk__work"), stop("tool_use"));
  expect(chunks).toEqual([text("a "), text("ST"), call("c", "desk__work"), stop("tool_use")]);
});
