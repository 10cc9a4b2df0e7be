import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Change, LocalBus, tellOwner } from "@/lib/store/bus";
import type { EventFeed } from "./event-feed";
import { HintLines } from "./hint-lines";

/** Lines of a process that hears of changes as one of several does. */
function open() {
  const bus = new LocalBus();
  const hearing: ((change: Change) => void)[] = [];
  const servers: ((people: ReadonlySet<string> | undefined) => void)[] = [];
  const lines = new HintLines({
    bus: {
      subscribe: (...topic) => bus.subscribe(...topic),
      onChange: (listener) => {
        hearing.push(listener);
        return () => {};
      },
    },
    pool: {
      onChange: (listener) => {
        servers.push(listener);
        return () => {};
      },
    },
  });
  onTestFinished(() => lines.close());
  return {
    ...{ bus, lines },
    missed: () => {
      for (const hear of hearing) hear({ kind: "everything" });
    },
    serversOf: (...people: string[]) => {
      for (const hear of servers) hear(people.length > 0 ? new Set(people) : undefined);
    },
  };
}

/** Somebody who reads a line: what came, and what becomes of it. */
function read(feed: EventFeed, { hasRoom = true } = {}) {
  const reader = {
    feed,
    hasRoom,
    packets: [] as string[],
    hasEnded: false,
    /** The names of the events since the last call. */
    taken: () =>
      reader.packets
        .splice(0)
        .flatMap((text) => [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)),
  };
  feed.start({
    write: (packet) => {
      reader.packets.push(Buffer.from(packet.bytes).toString());
      return reader.hasRoom;
    },
    end: () => (reader.hasEnded = true),
    drop: () => (reader.hasEnded = true),
  });
  return reader;
}

test("what changes in a moment is told together, each part once, and to its owner alone", async () => {
  const { bus, lines } = open();
  const [ann, annToo, ben] = [read(lines.open("ann")), read(lines.open("ann")), read(lines.open("ben"))];
  expect(ann.packets.splice(0)).toEqual([":\n\n"]);
  for (let at = 0; at < 1_000; at++) tellOwner(bus, "ann", at % 2 ? "conversations" : "settings");
  bus.publish("user:ann", "something of a newer version");
  expect(ann.packets).toEqual([]);
  await expect.poll(() => annToo.packets.length).toBe(2);
  expect(ann.packets).toEqual(["event: settings\ndata: {}\n\nevent: conversations\ndata: {}\n\n"]);
  tellOwner(bus, "ben", "conversations");
  await expect.poll(() => ben.taken()).toEqual(["conversations"]);
  expect(ann.packets).toHaveLength(1);
});

test("everybody is told of what all have in common, and of what may have been missed once it has settled", async () => {
  const { bus, lines, serversOf, missed } = open();
  const [ann, ben] = [read(lines.open("ann")), read(lines.open("ben"))];
  bus.publish("everybody", "settings");
  serversOf();
  await expect.poll(() => [ann.packets.length, ben.packets.length]).toEqual([2, 2]);
  expect([ann.taken(), ben.taken()]).toEqual(Array(2).fill(["settings", "servers"]));
  serversOf("ben", "somebody who is not there");
  await expect.poll(() => ben.taken()).toEqual(["servers"]);
  missed();
  await sleep(500);
  missed();
  expect([ann.packets, ben.packets]).toEqual([[], []]);
  await expect.poll(() => [ann.packets.length, ben.packets.length]).toEqual([1, 1]);
  expect(ann.taken()).toEqual(["conversations", "servers", "settings"]);
});

test("when many may have missed something at the same time, they are told one after the other", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { bus, lines } = open();
  const people = Array.from({ length: 1_000 }, (_, at) => `p${at}`);
  const readers = people.map((person) => read(lines.open(person)));
  const told = () => readers.filter(({ packets }) => packets.length > 1).length;
  // As the bus says when it has its channels again.
  for (const person of people) bus.publish(`user:${person}`);
  vi.advanceTimersByTime(750);
  expect(told()).toBeLessThan(300);
  // Who has something new need not wait for it.
  const late = readers.findIndex(({ packets }) => packets.length === 1);
  tellOwner(bus, `p${late}`, "conversations");
  vi.advanceTimersByTime(250);
  expect(readers[late]?.taken()).toEqual(["conversations", "servers", "settings"]);
  vi.advanceTimersByTime(4_250);
  expect(told()).toBe(999);
});

test("who takes nothing holds nothing, and hears of each part once afterwards", async () => {
  const { bus, lines } = open();
  const slow = read(lines.open("ann"), { hasRoom: false });
  const other = read(lines.open("ann"));
  for (const hint of ["conversations", "servers", "conversations"] as const) {
    tellOwner(bus, "ann", hint);
    await expect.poll(() => other.taken()).toEqual([hint]);
  }
  expect(slow.packets).toEqual([":\n\n"]);
  slow.feed.resume();
  expect(slow.taken()).toEqual(["conversations", "servers"]);
  slow.feed.resume();
  expect(slow.taken()).toEqual([]);
});

test("a person has so many lines at once, all have so many, and one that is left makes room", () => {
  const { lines } = open();
  const fill = (person: string) => Array.from({ length: 20 }, () => read(lines.open(person)));
  const [first] = fill("p0");
  const refused = { status: 429, code: "too_many_lines", retryAfterSeconds: 60 };
  expect(() => lines.open("p0")).toThrow(expect.objectContaining(refused));
  first?.feed.leave();
  first?.feed.leave();
  read(lines.open("p0"));
  for (let person = 1; person < 200; person++) fill(`p${person}`);
  expect(lines.count).toBe(4_000);
  const full = { status: 503, code: "overloaded", retryAfterSeconds: 5 };
  expect(() => lines.open("one more")).toThrow(expect.objectContaining(full));
});

test("a line that nobody reads counts for nothing", () => {
  const { lines } = open();
  for (let at = 0; at < 100; at++) lines.open("ann").leave();
  expect(lines.count).toBe(0);
});

test("a process that ends lets everybody go and takes nobody", () => {
  const { bus, lines } = open();
  const [ann, ben] = [read(lines.open("ann")), read(lines.open("ben"))];
  lines.close();
  expect([ann.hasEnded, ben.hasEnded, lines.count]).toEqual([true, true, 0]);
  tellOwner(bus, "ann", "settings");
  const draining = { status: 503, code: "draining", retryAfterSeconds: 5 };
  expect(() => lines.open("ann")).toThrow(expect.objectContaining(draining));
});

test("silence is filled with heartbeats; who takes nothing for long is dropped, and every line ends to be opened again", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { lines } = open();
  const [ann, stuck] = [read(lines.open("ann")), read(lines.open("ann"), { hasRoom: false })];
  vi.advanceTimersByTime(60_000);
  expect(ann.packets).toEqual(Array(5).fill(":\n\n"));
  expect(stuck.packets).toEqual([":\n\n"]);
  vi.advanceTimersByTime(5 * 60_000);
  expect([ann.hasEnded, stuck.hasEnded]).toEqual([false, true]);
  vi.advanceTimersByTime(20 * 60_000);
  expect([ann.hasEnded, lines.count]).toEqual([true, 0]);
});
