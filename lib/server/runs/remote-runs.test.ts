import { expect, onTestFinished, test } from "vitest";
import { stop, text } from "@/lib/agent/testing/scripted";
import type { EventSink } from "@/lib/server/http/event-feed";
import type { Packet } from "@/lib/server/http/packet";
import { ask, ended, kindsOf } from "@/lib/server/testing/run-kit";
import { openWorld, type Process, type Script, startProcess } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { recover } from "./recover-runs";
import { remoteRuns } from "./remote-runs";
import { RunReader } from "./run-reader";

const never = new Promise<never>(() => {});

/** A process that drives runs, and another one on the same database that others read them through. */
async function startTwo(...script: Script): Promise<{ driver: Process; other: Process }> {
  const world = await openWorld(script);
  const { store, ...other } = startProcess(world);
  const members = { ...store.members, mayBeMany: true };
  return { driver: startProcess(world), other: { ...other, store: { ...store, members } } };
}

/** What a reader has got so far, and its end. */
function read(deps: Process, row: RunRow, after = 0) {
  let got = "";
  const over = Promise.withResolvers<"end" | "drop">();
  const sink: EventSink = {
    write(packet: Packet) {
      got += Buffer.from(packet.bytes).toString();
      return true;
    },
    end(last?: Packet) {
      if (last) got += Buffer.from(last.bytes).toString();
      over.resolve("end");
    },
    drop: () => over.resolve("drop"),
  };
  const reader = new RunReader(deps, row, after);
  reader.start(sink);
  onTestFinished(() => reader.leave());
  return {
    get got() {
      return got;
    },
    get ids() {
      return [...got.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    },
    over: over.promise,
  };
}

test("a run that another process drives is read as it is written, from anywhere, up to its end", async () => {
  const more = Promise.withResolvers<void>();
  const { driver, other } = await startTwo([text("Half "), more.promise, text("whole."), stop("end_turn")]);
  const lags: number[] = [];
  other.onRemoteRead = (seconds) => lags.push(seconds);
  const row = await ask(driver);
  await expect.poll(() => kindsOf(driver, row)).toBe("iteration text");
  const readers = [read(other, row), read(other, row), read(other, row, 2)];
  await expect.poll(() => readers.slice(0, 2).every(({ got }) => got.includes("Half "))).toBe(true);
  const before = readers.map(({ got }) => got.replace(/^:.*$/gm, ""));
  await expect.poll(() => other.store.count("runs.stillRunning")).toBeGreaterThan(1);
  expect(readers.map(({ got }) => got.replace(/^:.*$/gm, ""))).toEqual(before);
  // Readers that only caught up have no lag.
  lags.length = 0;
  more.resolve();
  expect(await Promise.all(readers.map(({ over }) => over))).toEqual(["end", "end", "end"]);
  await ended(driver, row);
  const log = await driver.store.log.read(row.id, 0, 100);
  for (const [index, { got, ids }] of readers.entries()) {
    expect(ids).toEqual(log.map(({ seq }) => seq).slice(index === 2 ? 2 : 0));
    expect(got).toMatch(/event: result\n[^\n]*\n\nevent: end\ndata: \{"status":"completed"\}\n\n$/);
  }
  expect(lags.length).toBeGreaterThanOrEqual(readers.length);
  expect(lags.filter((seconds) => !(seconds >= 0 && seconds < 60))).toEqual([]);
  // Nobody looks for one that nobody reads.
  const looks = other.store.count("runs.stillRunning");
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(other.store.count("runs.stillRunning")).toBeLessThanOrEqual(looks + 1);
});

test("the record says that a run has ended before its log does: readers wait for the log", async () => {
  const { driver, other } = await startTwo([text("All."), stop("end_turn")]);
  const hold = driver.store.hold(
    "log.append",
    (_: string, [first]: { data: { type: string } }[]) => first?.data.type === "result",
  );
  const row = await ask(driver);
  await hold.reached;
  expect((await other.store.runs.get(row.userId, row.id))?.status).toBe("completed");
  const reader = read(other, { ...row, status: "running" });
  await expect.poll(() => reader.got.includes("All.")).toBe(true);
  await expect.poll(() => other.store.count("runs.stillRunning")).toBeGreaterThan(1);
  expect(reader.got).not.toContain("event: end");
  hold.release();
  expect(await reader.over).toBe("end");
  expect(reader.got).toMatch(/event: result\n[^\n]*\n\nevent: end\n/);
});

test("who follows a run is woken by a hint before the next look, and by none once it has left", async () => {
  const { other } = await startTwo();
  const woken: boolean[] = [];
  const leave = remoteRuns(other.store).follow("a", (mayHaveEnded) => void woken.push(mayHaveEnded));
  other.store.bus.publish("run:a");
  other.store.bus.publish("run:b");
  other.store.bus.publish("run:a", "end");
  expect(woken).toEqual([false, true]);
  leave();
  other.store.bus.publish("run:a");
  expect(woken).toEqual([false, true]);
  expect(other.store.count("runs.stillRunning")).toBe(0);
});

test("who reads a run where it is driven, by a process that others take for dead, is given the end that another one gives it", async () => {
  const { driver, other } = await startTwo([text("Half "), never]);
  const row = await ask(driver);
  const reader = read({ ...driver, store: other.store }, row);
  await expect.poll(() => reader.got.includes("Half ")).toBe(true);
  driver.runs.giveUp();
  await expect.poll(() => driver.runs.count).toBe(0);
  await recover(other, [row]);
  expect(await reader.over).toBe("end");
  expect(reader.got).toMatch(/event: result\n[^\n]*\n\nevent: end\ndata: \{"status":"interrupted"\}\n\n$/);
  expect(reader.ids).toEqual([...new Set(reader.ids)].toSorted((a, b) => a - b));
});

test("who reads a run whose process dies is given the end that another process gives it", async () => {
  const { driver, other } = await startTwo([text("Half "), never]);
  const row = await ask(driver);
  await expect.poll(() => kindsOf(driver, row)).toBe("iteration text");
  const reader = read(other, row);
  await expect.poll(() => reader.got.includes("Half ")).toBe(true);
  driver.store.kill();
  await driver.store.quiet();
  await recover(other, [row]);
  expect(await reader.over).toBe("end");
  expect(reader.got).toMatch(/event: end\ndata: \{"status":"interrupted"\}/);
});
