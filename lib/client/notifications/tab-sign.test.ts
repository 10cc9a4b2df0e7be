import { expect, test } from "vitest";
import type { EndedKind, EndedRun } from "./ended-runs";
import { iconOf, signOf } from "./tab-sign";

const ended = (conversationId: string, kind: EndedKind): EndedRun => ({
  ...{ conversationId, title: "About it", kind, isInterrupted: false, at: "2026-01-01T00:00:00.000Z" },
});

test("the sign of a tab shows what matters most, and in how many conversations", () => {
  expect(signOf([], "a")).toBeNull();
  expect(signOf([ended("a", "finished")], "a")).toEqual({ kind: "finished", count: 1, isOwn: true });
  expect(signOf([ended("a", "finished"), ended("b", "failed")], "a")).toEqual({
    ...{ kind: "failed", count: 2, isOwn: false },
  });
  expect(signOf([ended("a", "failed"), ended("b", "waiting")], null)?.kind).toBe("waiting");
});

test("the icon has vermilion only where a person should look", () => {
  for (const kind of ["waiting", "failed"] as const)
    expect(decodeURIComponent(iconOf(kind))).toContain("#b3361a");
  expect(decodeURIComponent(iconOf("finished"))).not.toMatch(/b3361a|ff7f5c/);
});
