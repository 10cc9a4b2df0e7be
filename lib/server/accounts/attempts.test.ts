import { expect, test } from "vitest";
import { LocalBus } from "@/lib/store/bus";
import { Attempts } from "./attempts";

const outcome = (attempts: Attempts, email: string): number | "let" => {
  try {
    attempts.count(email);
    return "let";
  } catch (cause) {
    return (cause as { retryAfterSeconds: number }).retryAfterSeconds;
  }
};

test("the eleventh attempt for an address waits until ten minutes after the first, other addresses do not", () => {
  let now = 0;
  const attempts = new Attempts(new LocalBus(), () => now);
  const all = Array.from({ length: 11 }, () => {
    now += 1_000;
    return outcome(attempts, "ann");
  });
  expect(all).toEqual([...Array(10).fill("let"), 590]);
  expect(outcome(attempts, "ben")).toBe("let");
  now = 1_000 + 10 * 60_000;
  expect(outcome(attempts, "ann")).toBe("let");
});

test("a right password takes back what was counted", () => {
  const attempts = new Attempts(new LocalBus(), () => 0);
  for (let at = 0; at < 30; at++) {
    expect(outcome(attempts, "ann")).toBe("let");
    if (at % 9 === 8) attempts.forget("ann");
  }
});

test("what fails at one process counts at another, once, and so does what goes right", () => {
  const bus = new LocalBus();
  const [here, there] = [new Attempts(bus, () => 0), new Attempts(bus, () => 0)];
  for (let at = 0; at < 5; at++) {
    expect(outcome(here, "ann")).toBe("let");
    expect(outcome(there, "ann")).toBe("let");
  }
  expect([outcome(here, "ann"), outcome(there, "ann")]).toEqual([600, 600]);
  there.forget("ann");
  expect(outcome(here, "ann")).toBe("let");
});

test("two passwords are hashed at once, a bounded number waits, and all of those have their turn", async () => {
  const attempts = new Attempts(new LocalBus());
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  const ends = await Promise.allSettled(Array.from({ length: 50 }, () => attempts.inTurn(work)));
  expect(most).toBe(2);
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(42);
  await attempts.inTurn(work);
});
