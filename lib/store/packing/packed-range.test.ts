import fc from "fast-check";
import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import { encodeRanges } from "@/lib/store/event-range";
import { events } from "@/lib/store/testing/rows";
import type { LogEvent } from "@/lib/store/types";
import { packRanges, readRange } from "./packed-range";

const pack = (list: readonly LogEvent[]) => packRanges("r", encodeRanges(list));
const thereAndBack = async (list: readonly LogEvent[]) => readRange("r", await pack(list));

const words = fc.string({ unit: "binary", maxLength: 12 });
const chunk = fc.oneof(
  words.map((content) => ({ type: "text", content })),
  fc.record({ type: fc.constant("tool_input"), content: words, id: fc.constantFrom("a", "b"), name: words }),
  fc.record({ at: fc.nat(), type: fc.constant("text"), content: words }),
  fc.record({ type: fc.constant("tool_result"), result: fc.json().map((json) => JSON.parse(json)) }),
  fc.record({ type: fc.constant("odd"), content: fc.constantFrom(1, null, ["a"]) }),
);

test("whatever a log holds comes back to the letter, with its numbers and times", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 2 ** 40 }),
      fc.array(fc.tuple(chunk, fc.nat({ max: 2 ** 41 })), { minLength: 1 }),
      async (before, list) => {
        const log = list.map(([data, at], index) => ({ seq: before + index + 1, at, data: data as Chunk }));
        expect(JSON.stringify(await thereAndBack(log))).toBe(JSON.stringify(log));
      },
    ),
  );
});

test("a surrogate pair that two pieces share, and half of one, come back", async () => {
  const halves = ["\ud83d", "\ude00", "\udc00", "", '\u0000\n"'];
  const log = halves.map((content, index) => ({
    seq: index + 1,
    at: index,
    data: { type: "text", content },
  }));
  expect(await thereAndBack(log as LogEvent[])).toEqual(log);
});

test("an answer of many pieces takes less than its text, however it is cut up", async () => {
  const log = events(1, 1000);
  const text = log.reduce((sum, { data }) => sum + (data.type === "text" ? data.content.length : 0), 0);
  expect((await pack(log)).packed?.length).toBeLessThan(text / 3);
});

test("one event of several megabytes comes back", async () => {
  const log = [largeResult(noise(3_000_000))];
  expect(await thereAndBack(log)).toEqual(log);
});

test("what becomes megabytes is unpacked while others get their turn, however little it takes", async () => {
  const row = await pack([largeResult("a".repeat(3_000_000))]);
  expect(row.packed?.length).toBeLessThan(1000);
  let turns = 0;
  setImmediate(() => turns++);
  await readRange("r", row);
  expect(turns).toBe(1);
});

test("a row with any byte changed, cut short or of an unknown form is a broken one with its number", async () => {
  const log = events(1, 20);
  const row = await pack(log);
  const bytes = row.packed ?? new Uint8Array();
  for (let at = 0; at < bytes.length; at++) {
    const packed = Uint8Array.from(bytes);
    packed[at] = (packed[at] ?? 0) ^ 1;
    // Of the last byte some bits are read by nobody.
    const read = await readRange("r", { ...row, packed }).catch((cause) => cause);
    if (Array.isArray(read)) expect(read).toEqual(log);
    else
      expect(read).toMatchObject({
        code: "broken_row",
        message: expect.stringContaining("event 1 of run r"),
      });
  }
  const broken = [0, 1, 2, bytes.length - 1].map((length) => ({ ...row, packed: bytes.subarray(0, length) }));
  for (const each of [...broken, { ...row, last: 21 }])
    await expect(readRange("r", each)).rejects.toMatchObject({ code: "broken_row" });
});

const largeResult = (text: string): LogEvent => ({
  seq: 7,
  at: 1,
  data: {
    type: "tool_result",
    result: { id: "a", status: "ok", content: [{ type: "text", text }] },
    durationMs: 1,
  } as Chunk,
});

/** Text that does not compress to nothing. */
function noise(length: number): string {
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  };
  return Array.from({ length }, next).join("");
}
