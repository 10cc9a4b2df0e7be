import { expect, test } from "vitest";
import type { Chunk } from "./chunk";
import { isFor } from "./chunk-kinds";
import { openCalls } from "./open-calls";
import { pendingRequests } from "./pending-requests";
import { timeline } from "./timeline";
import { Transcript } from "./transcript";

const start: Chunk = { type: "iteration", index: 1, at: 1 };
const newer = { type: "of_a_newer_version", id: "a", at: 2 } as unknown as Chunk;

test("a fold gets the kinds that it has a case for", () => {
  expect(isFor("timeline", start)).toBe(true);
  expect(isFor("calls", start)).toBe(false);
});

test("a kind of a newer version changes no fold", () => {
  const history = new Transcript();
  for (const chunk of [start, newer]) history.add(chunk);
  expect(history.delta).toEqual([]);
  expect(timeline([start, newer])).toEqual(timeline([start]));
  expect(openCalls([start, newer])).toEqual(new Map());
  expect(pendingRequests([start, newer])).toEqual([]);
});
