import { expect, test } from "vitest";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { singly } from "./chunks-in";
import type { Provider, Turn } from "./ports";
import { stop, text } from "./testing/scripted";
import { withTokenLimit } from "./with-token-limit";

const turn: Turn = {
  system: "Be short.",
  history: [{ role: "user", parts: [{ type: "text", text: "Count." }] }],
  tools: [],
  signal: new AbortController().signal,
};

/** What comes of this turn, and whether the model was told that nobody reads on. */
async function read(maxTokens: number, ...script: ModelChunk[]) {
  let isLeft = false;
  const model: Provider = {
    async *stream() {
      try {
        yield* script;
      } finally {
        isLeft = true;
      }
    },
  };
  const chunks: ModelChunk[] = [];
  for await (const chunk of singly(withTokenLimit(model, maxTokens).stream(turn))) chunks.push(chunk);
  return { chunks, isLeft };
}

test("a turn within the limit is the same", async () => {
  const { chunks } = await read(10, text("One, two."), stop("end_turn"));
  expect(chunks).toEqual([text("One, two."), stop("end_turn")]);
});

test("past the limit the model is left, and what it took is estimated", async () => {
  const { chunks, isLeft } = await read(2, text("12345678"), text("more"), stop("end_turn"));
  expect(chunks).toEqual([
    text("12345678"),
    { type: "usage", stopReason: "max_tokens", inputTokens: expect.any(Number), outputTokens: 2 },
  ]);
  expect(chunks[1]?.type === "usage" && chunks[1].inputTokens).toBeGreaterThan(0);
  expect(isLeft).toBe(true);
});

test("many short pieces count as the text that they make", async () => {
  const letters = [..."ab日cdefghij"].map((letter) => text(letter));
  const { chunks } = await read(3, ...letters, stop("end_turn"));
  expect(chunks).toHaveLength(7);
  expect(chunks.at(-1)).toMatchObject({ stopReason: "max_tokens", outputTokens: 3 });
});
