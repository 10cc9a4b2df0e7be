import { expect, test } from "vitest";
import { SessionEnds } from "./session-ends";

test("who was let in just before a session was ended is told at once, and nobody else is", () => {
  const ends = new SessionEnds();
  const open = ends.signal("s1", "ann");
  ends.end(["s1", "s2"]);
  expect([open, ends.signal("s1", "ann"), ends.signal("s2", "ann")].map(({ aborted }) => aborted)).toEqual([
    true,
    true,
    true,
  ]);
  expect(ends.signal("s3", "ann").aborted).toBe(false);
});

test("that all sessions of a person were ended is known of what had begun before", () => {
  const ends = new SessionEnds();
  const before = performance.now();
  expect(ends.hasEndedAllSince("ann", before)).toBe(false);
  ends.endAll("ann");
  expect([ends.hasEndedAllSince("ann", before), ends.hasEndedAllSince("ben", before)]).toEqual([true, false]);
  expect(ends.hasEndedAllSince("ann", performance.now() + 1)).toBe(false);
});
