import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { decodeRange, encodeRanges, joinRanges } from "./event-range";
import { events } from "./testing/rows";
import type { LogEvent } from "./types";

const id = "call" as ToolCallId;
const roundTrip = (given: readonly LogEvent[]) =>
  encodeRanges(given).flatMap((range) => decodeRange("r1", range));
const numbered = (chunks: readonly Chunk[], first = 1): LogEvent[] =>
  chunks.map((data, index) => ({ seq: first + index, at: data.at ?? 7_000 + 3 * index, data }));

/** Chunks of every form: with and without a time, fields in another order, pieces of several agents. */
const mixed: Chunk[] = [
  { type: "iteration", index: 1, at: 7_000 },
  { type: "text", content: "One", at: 7_001 },
  { type: "text", content: " two" },
  { type: "text", content: "", agent: "a/b" },
  { type: "text", content: "again", agent: "a/b" },
  { agent: "a/b", type: "text", content: "turned round" },
  { type: "reasoning", content: "hm", at: 7_100 },
  { type: "reasoning", content: "so", signature: "s" },
  { type: "reasoning", content: "so", signature: "s" },
  { type: "text", content: "{}", format: "json" },
  { type: "tool_input", id, name: "shop__pay", content: "", at: 7_200 },
  { type: "tool_input", id, name: "shop__pay", content: '{"a' },
  { type: "tool_input", id: "other" as ToolCallId, name: "shop__pay", content: '":1}' },
  { at: 7_300, type: "notice", kind: "retry", message: 'its text ends with ,"at":7300}' },
  { type: "notice", kind: "retry", message: "x", until: 5, at: 9_000 },
  { type: "tool_start", id, args: { at: 7_400, __proto__x: null }, at: 7_400 },
  { type: "text", content: '\u2028 \ud800 \u0000 "' },
];

test("what is read is byte for byte what was written", () => {
  const given = [...numbered(mixed), ...events(mixed.length + 1, 400)];
  expect(JSON.stringify(roundTrip(given))).toBe(JSON.stringify(given));
  for (const each of given) expect(JSON.stringify(roundTrip([each]))).toBe(JSON.stringify([each]));
});

test("a field without a value changes nothing about what comes after it", () => {
  const given = numbered([
    { type: "reasoning", content: "hm", signature: undefined } as unknown as Chunk,
    { type: "text", content: "plain" },
    { type: "reasoning", content: "so" },
  ]);
  const read = roundTrip(given).map(({ data }) => data);
  expect(read).toEqual([
    { type: "reasoning", content: "hm" },
    { type: "text", content: "plain" },
    { type: "reasoning", content: "so" },
  ]);
});

test("every part of a log is read as it was written, wherever its rows begin", () => {
  let state = 1;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let round = 0; round < 300; round++) {
    const chunks = Array.from({ length: 1 + random(40) }, () => mixed[random(mixed.length)] as Chunk);
    const given = chunks.map((data, index) => ({ seq: 9 + index, at: 7_000 + random(400), data }));
    expect(JSON.stringify(roundTrip(given))).toBe(JSON.stringify(given));
    const parts: LogEvent[][] = [[]];
    for (const event of given) {
      if (random(3) === 0) parts.push([]);
      parts.at(-1)?.push(event);
    }
    const joined = joinRanges(parts.flatMap(encodeRanges));
    expect(JSON.stringify(joined.flatMap((range) => decodeRange("r1", range)))).toBe(JSON.stringify(given));
  }
});

test("joined rows hold no more than one that is written at once, and leave alone what nobody has looked into", () => {
  const each = events(1, 300).flatMap((event) => encodeRanges([event]));
  expect(joinRanges(each).map(({ first, last }) => [first, last])).toEqual([
    [1, 128],
    [129, 256],
    [257, 300],
  ]);
  const damaged = { first: 2, last: 2, at: 1, data: "[" };
  expect(joinRanges([...each.slice(0, 1), damaged, ...each.slice(2, 4)]).map(({ data }) => data)).toEqual([
    each[0]?.data,
    "[",
    expect.stringContaining("word 4"),
  ]);
});

test("pieces of text take little more than their text", () => {
  const [range] = encodeRanges(
    numbered(Array.from({ length: 100 }, () => ({ type: "text", content: "word" }))),
  );
  expect(range?.data.length).toBeLessThan(100 * (4 + 2 + 1 + 2) + 10);
});

test("a row holds a bounded number of events and of characters, and numbers without a gap", () => {
  expect(encodeRanges(events(1, 300)).map(({ first, last }) => [first, last])).toEqual([
    [1, 128],
    [129, 256],
    [257, 300],
  ]);
  const large = numbered([1, 2, 3].map(() => ({ type: "text", content: "x".repeat(70_000) })));
  expect(encodeRanges(large)).toHaveLength(3);
  expect(encodeRanges([...events(1, 2), ...events(5, 6)]).map(({ first, last }) => [first, last])).toEqual([
    [1, 2],
    [5, 6],
  ]);
  expect(encodeRanges([])).toEqual([]);
});

test("an event without a number or a chunk is refused", () => {
  for (const seq of [0, -1, 1.5, Number.NaN])
    expect(() => encodeRanges(events(1, 1).map((event) => ({ ...event, seq })))).toThrow(
      "no number of an event",
    );
  const nothing = [{ seq: 1, at: 1, data: undefined }] as unknown as LogEvent[];
  expect(() => encodeRanges(nothing)).toThrow("no JSON form");
});

test("a damaged row is named by its first event", () => {
  const [range] = encodeRanges(events(4, 6));
  for (const data of [
    "",
    "[]",
    "{}",
    '["a"]',
    "[1,2,3]",
    '["a","b",{}]',
    '["a","b",[]]',
    '["a","b",null]',
    "null",
  ])
    expect(() => decodeRange("r1", { first: 4, last: 6, at: 1, ...range, data }), data).toThrow(
      "The stored event 4 of run r1 cannot be read",
    );
});
