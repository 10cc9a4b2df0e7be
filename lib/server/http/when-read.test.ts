import { expect, test } from "vitest";
import { streamEvents } from "./event-stream";
import { isEvents, whenRead } from "./when-read";

test("what waits for the end of a stream is told of it once, when the stream ends and when its reader leaves", async () => {
  const told: string[] = [];
  const ended = streamEvents(AbortSignal.timeout(5_000), async ({ tell }) => tell("one", { a: 1 }));
  const whole = whenRead(ended, () => told.push("ended"));
  expect([isEvents(whole), isEvents(Response.json({}))]).toEqual([true, false]);
  expect(told).toEqual([]);
  expect(await whole.text()).toContain("event: one");
  expect(told).toEqual(["ended"]);

  let hasLeft = false;
  const open = streamEvents(AbortSignal.timeout(5_000), async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    hasLeft = true;
  });
  const reader = whenRead(open, () => told.push("left")).body?.getReader();
  await reader?.read();
  expect(told).toEqual(["ended"]);
  await reader?.cancel();
  await expect.poll(() => hasLeft).toBe(true);
  expect(told).toEqual(["ended", "left"]);
});
