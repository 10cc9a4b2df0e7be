import { expect, test, vi } from "vitest";
import { newId, newTemporaryId } from "./ids";

test("ids sort as they were made, within a millisecond and after the clock was set back, and none comes twice", () => {
  const ids = Array.from({ length: 2_000 }, newId);
  vi.useFakeTimers({ now: Date.now() - 60_000, toFake: ["Date"] });
  ids.push(...Array.from({ length: 2_000 }, newId));
  vi.useRealTimers();
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length);
  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(Math.abs(Number.parseInt(newId().replace("-", "").slice(0, 12), 16) - Date.now())).toBeLessThan(
    1_000,
  );
  expect(newTemporaryId()).toMatch(/^[\da-f]{8}-[\da-f]{4}-8/);
});
