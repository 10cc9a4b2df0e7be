import { expect, it } from "vitest";
import type { McpLogLine } from "@/lib/protocol/mcp-offers";
import { addLines, emptyTail, filterLines, type LogTail, writeTail } from "./log-tail";

const at = "2026-11-20T12:00:00.000Z";
const lines = (count: number, source: McpLogLine["source"] = "stderr") =>
  Array.from({ length: count }, (_, index) => ({ at, source, text: `line ${index}` }));
const all = ({ blocks }: LogTail) => blocks.flatMap((block) => block.lines);
const every = { sources: { stderr: true, protocol: true, host: true }, text: "" };

it("keeps every line once and in order, whatever pieces they come in", () => {
  let tail = emptyTail;
  for (const count of [1, 99, 1, 250, 0, 49]) tail = addLines(tail, { lines: lines(count), missed: 0 });
  expect(all(tail).map(({ id }) => id)).toEqual(Array.from({ length: 400 }, (_, index) => index));
  expect(tail.blocks.map((block) => block.lines.length)).toEqual([100, 100, 100, 100]);
});

it("keeps a bounded tail, and leaves full blocks as they are", () => {
  let tail = emptyTail;
  for (let second = 0; second < 20; second++) tail = addLines(tail, { lines: lines(1_001), missed: 1 });
  expect(tail.count).toBe(20_020);
  expect(tail.missed).toBe(20);
  expect(all(tail).length).toBeLessThanOrEqual(5_000);
  expect(all(tail).length).toBeGreaterThan(4_900);
  expect(all(tail).at(-1)?.id).toBe(20_019);
  const next = addLines(tail, { lines: lines(1), missed: 0 });
  const kept = next.blocks.slice(0, -1);
  expect(kept.every((block) => tail.blocks.includes(block))).toBe(true);
});

it("is the same when nothing came", () => {
  const tail = addLines(emptyTail, { lines: lines(3), missed: 0 });
  expect(addLines(tail, { lines: [], missed: 0 })).toBe(tail);
});

it("is filtered by source and by text, and copied as it is shown", () => {
  let tail = addLines(emptyTail, { lines: lines(2), missed: 0 });
  tail = addLines(tail, { lines: [{ at, source: "protocol", text: "→ tools/CALL" }], missed: 0 });
  expect(filterLines(all(tail), { ...every, text: "tools/call" })).toHaveLength(1);
  const filter = { ...every, sources: { ...every.sources, protocol: false } };
  expect(writeTail(tail, filter)).toBe(`${at} stderr line 0\n${at} stderr line 1\n`);
});
