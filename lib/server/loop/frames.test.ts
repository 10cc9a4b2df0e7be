import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import { mergePieces, toFrame } from "./frames";

const merged = (...chunks: Chunk[]) =>
  mergePieces(chunks.map((data, index) => toFrame({ seq: index + 1, data }))).map((frame) => [
    frame.seq,
    JSON.parse(/^data: (.*)$/m.exec(frame.encode())?.[1] ?? ""),
  ]);

test("pieces become one event under the number of the last, with the number and the time of the first", () => {
  expect(
    merged(
      { type: "iteration", index: 1, at: 5 },
      { type: "text", content: "a", at: 7 },
      { type: "text", content: "b" },
      { type: "text", content: "c" },
    ),
  ).toEqual([
    [1, { type: "iteration", index: 1, at: 5 }],
    [4, { type: "text", content: "abc", at: 7, from: 2 }],
  ]);
});

test("a piece with a time of its own, of another agent or of another kind begins an event of its own", () => {
  const pieces: Chunk[] = [
    { type: "text", content: "a", at: 1 },
    { type: "text", content: "b", at: 2 },
    { type: "text", content: "c", agent: "other" },
    { type: "reasoning", content: "d" },
    { type: "text", content: "e", signature: "s" },
    { type: "text", content: "f" },
  ];
  const [events, kept] = [merged(...pieces), pieces.map((piece, index) => [index + 1, piece])];
  // A signature goes over no wire.
  expect(events).toEqual(JSON.parse(JSON.stringify(kept).replace(',"signature":"s"', "")));
});

test("no event grows beyond what a reader should wait for", () => {
  const pieces = Array.from({ length: 40 }, (): Chunk => ({ type: "text", content: "x".repeat(1000) }));
  const events = merged(...pieces);
  expect(events.map(([, { content }]) => content.length)).toEqual([16_000, 16_000, 8_000]);
  expect(events.map(([, { from }]) => from)).toEqual([1, 17, 33]);
});
