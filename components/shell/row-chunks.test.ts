import { expect, test } from "vitest";
import type { ConversationItem } from "@/lib/protocol/http";
import { chunksOf } from "./row-chunks";

/** The end of an id counts; as random as those of the server. */
const item = (at: number) =>
  ({
    id: `c-${(at * 2_654_435_761) >>> 8}`.replace(/-(\d+)$/, (_, n) => Number(n).toString(16)),
  }) as ConversationItem;
const items = Array.from({ length: 2_000 }, (_, at) => item(at + 1));

const idsOf = (list: readonly ConversationItem[]) => list.map(({ id }) => id);

test("every row is in one chunk, in its order, and none holds more than 100", () => {
  const chunks = chunksOf(items);
  expect(chunks.flatMap((chunk) => idsOf(chunk.items))).toEqual(idsOf(items));
  expect(new Set(chunks.map(({ key }) => key)).size).toBe(chunks.length);
  expect(Math.max(...chunks.map((chunk) => chunk.items.length))).toBeLessThanOrEqual(100);
  expect(chunks.length).toBeGreaterThan(40);
  expect(chunksOf(items.map(({ id }) => ({ id: `${id}zzz` }) as ConversationItem)).length).toBe(20);
});

test("a row that goes to the top changes the chunk it comes from and the first", () => {
  const before = new Map(chunksOf(items).map(({ key, items: held }) => [key, idsOf(held).join()]));
  const inside = [...(chunksOf(items)[20]?.items ?? [])][0] as ConversationItem;
  const after = chunksOf([inside, ...items.filter((each) => each !== inside)]);
  const changed = after.filter(({ key, items: held }) => before.get(key) !== idsOf(held).join());
  expect(changed.length).toBeLessThanOrEqual(2);
});
