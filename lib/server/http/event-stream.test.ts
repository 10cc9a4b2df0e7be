import { once } from "node:events";
import { expect, test } from "vitest";
import { type EventWriter, streamEvents } from "./event-stream";

const never = new AbortController().signal;

test("events come in the order in which they were told, also those told before anybody reads, and end with the work", async () => {
  const response = streamEvents(never, async ({ tell }) => {
    tell("first", { n: 1 });
    await Promise.resolve();
    tell("second", { n: 2 }, "7");
  });
  expect(await response.text()).toBe(
    ':\n\nevent: first\ndata: {"n":1}\n\nid: 7\nevent: second\ndata: {"n":2}\n\n',
  );
});

test("a reader that leaves ends the work at once, and what is told after that goes nowhere", async () => {
  const left = Promise.withResolvers<EventWriter>();
  const response = streamEvents(never, async (to) => {
    await once(to.signal, "abort");
    to.tell("late", {});
    left.resolve(to);
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect((await left.promise).hasRoom).toBe(true);
});

test("there is no room until a reader has taken what was told", async () => {
  const rooms: boolean[] = [];
  const taken = Promise.withResolvers<void>();
  const response = streamEvents(never, async (to) => {
    to.tell("first", {});
    rooms.push(to.hasRoom);
    await taken.promise;
    rooms.push(to.hasRoom);
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.read();
  taken.resolve();
  expect((await reader?.read())?.done).toBe(true);
  expect(rooms).toEqual([false, true]);
});
