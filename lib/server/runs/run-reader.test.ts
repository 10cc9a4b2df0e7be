import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { EventSink } from "@/lib/server/http/event-feed";
import type { Packet } from "@/lib/server/http/packet";
import { readChain } from "@/lib/server/loop/chain";
import { LiveRun } from "@/lib/server/loop/live-run";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { run as newRow } from "@/lib/store/testing/rows";
import { openTempStore } from "@/lib/store/testing/temp-store";
import { RunReader } from "./run-reader";

afterEach(() => void vi.useRealTimers());

/** A reader that takes everything, or nothing while `hasRoom` is false. */
class Taker implements EventSink {
  hasRoom = true;
  ended = Promise.withResolvers<"end" | "drop">();
  readonly packets: Packet[] = [];
  write(packet: Packet): boolean {
    this.packets.push(packet);
    return this.hasRoom;
  }
  end(last?: Packet): void {
    if (last) this.packets.push(last);
    this.ended.resolve("end");
  }
  drop(): void {
    this.ended.resolve("drop");
  }
  get text(): string {
    return this.packets.map(({ bytes }) => Buffer.from(bytes).toString()).join("");
  }
  get ids(): number[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  }
  /** From the first to the last number of each event, merged ones too. */
  get ranges(): [number, number][] {
    return [...this.text.matchAll(/^id: (\d+)\nevent: \w+\ndata: (.*)$/gm)].map(([, id, data]) => [
      JSON.parse(data ?? "").from ?? Number(id),
      Number(id),
    ]);
  }
}

async function startLive() {
  const deps = { store: await openTempStore(), runs: new LiveRuns() } as unknown as RunDeps;
  const row = newRow("run", { status: "running" });
  const run = new LiveRun(row, deps.store.log, await readChain(deps, undefined));
  deps.runs.add(run);
  const begin = (after = 0, hasRoom = true) => {
    const to = Object.assign(new Taker(), { hasRoom });
    const reader = new RunReader(deps, row, after);
    reader.start(to);
    onTestFinished(() => reader.leave());
    return { to, reader };
  };
  /** Resolves when they are stored, and the first readers woken. */
  const say = async (count: number) => {
    const piece: Chunk = { type: "text", content: "word " };
    await Promise.all(Array.from({ length: count }, () => run.write(piece)));
    await run.flush();
  };
  return { run, begin, say };
}

const withoutGap = (ranges: [number, number][]) =>
  ranges.every(([from], index) => from === (ranges[index - 1]?.[1] ?? 0) + 1);

test("a reader that takes nothing holds one batch; when it takes again it goes on without a gap, from the log too", async () => {
  const { run, begin, say } = await startLive();
  const slow = begin();
  const quick = begin();
  slow.to.hasRoom = false;
  await say(1);
  expect(slow.to.ids).toEqual([1]);
  const held = slow.to.packets.length;
  await say(3000);
  await say(10);
  expect(slow.to.packets.length).toBe(held);
  slow.to.hasRoom = true;
  slow.reader.resume();
  run.close();
  expect(await Promise.all([slow.to.ended.promise, quick.to.ended.promise])).toEqual(["end", "end"]);
  for (const { to } of [slow, quick]) {
    expect(withoutGap(to.ranges)).toBe(true);
    expect(to.ids.at(-1)).toBe(3011);
    expect(to.text).toMatch(/\n\nevent: end\ndata: \{"status":"stopped"\}\n\n$/);
  }
});

test("thousands of readers get the same bytes, a few of them in each turn of the event loop, and those that never read get nothing more", async () => {
  const { run, begin, say } = await startLive();
  const all = Array.from({ length: 2500 }, (_, index) => begin(0, index % 5 !== 0));
  await say(1);
  const served = () => all.filter(({ to }) => to.ids.length > 0).length;
  expect(served()).toBeLessThan(100);
  await vi.waitFor(() => expect(served()).toBe(2000));
  const [, , first] = all[1]?.to.packets ?? [];
  expect(all.filter(({ to }) => to.packets[2] === first)).toHaveLength(2000);
  await say(500);
  run.close();
  const reading = all.filter((_, index) => index % 5 !== 0);
  await Promise.all(reading.map(({ to }) => to.ended.promise));
  expect(reading.every(({ to }) => to.ids.at(-1) === 501 && withoutGap(to.ranges))).toBe(true);
  expect(all.filter(({ to }) => to.packets.length <= 2)).toHaveLength(500);
});

test("readers that stop at one place of the log hold the same bytes, whenever they have come there", async () => {
  const { begin, say } = await startLive();
  await say(3000);
  const stopped = async () => {
    const { to } = begin();
    // The first page of the log is on its way.
    to.hasRoom = false;
    await vi.waitFor(() => expect(to.ids.length).toBeGreaterThan(0));
    return to.packets.at(-1);
  };
  const [first, second] = await Promise.all([stopped(), stopped()]);
  expect(second).toBe(first);
  expect(await stopped()).toBe(first);
});

test("one that has left is written nothing more", async () => {
  const { begin, say } = await startLive();
  const { to, reader } = begin();
  await say(1);
  reader.leave();
  await say(5);
  expect(to.ids).toEqual([1]);
});

test("a reader that breaks is cut off; its run and the others go on", async () => {
  const { begin, say } = await startLive();
  const [broken, other] = [begin(), begin()];
  broken.to.write = () => {
    throw new Error("Broken.");
  };
  await say(2);
  expect(await broken.to.ended.promise).toBe("drop");
  expect(other.to.ids).toEqual([1, 2]);
});

test("silence is broken within 15 s; who has taken nothing for five minutes is cut off, and nobody else", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { begin } = await startLive();
  const [stuck, idle] = [begin(0, false), begin()];
  const beats = () => idle.to.packets.filter(({ bytes }) => bytes.byteLength === 3).length;
  expect(beats()).toBe(1);
  vi.advanceTimersByTime(15_000);
  expect(beats()).toBe(2);
  vi.advanceTimersByTime(15_000);
  expect(beats()).toBe(3);
  expect(stuck.to.packets).toHaveLength(2);
  const left = stuck.to.ended.promise;
  vi.advanceTimersByTime(270_000);
  expect(await left).toBe("drop");
  expect(beats()).toBe(21);
  idle.reader.leave();
  expect(vi.getTimerCount()).toBe(0);
});
