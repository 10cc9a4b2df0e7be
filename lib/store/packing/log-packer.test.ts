import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { Engine } from "@/lib/store/engine";
import { StoreError } from "@/lib/store/errors";
import { openStoreOn } from "@/lib/store/open-store";
import {
  addConversation,
  addRun,
  openPacking,
  rowsOf,
  soon,
  until,
  untilPacked,
} from "@/lib/store/testing/packed-logs";
import { endOf, events, result, run, runEnd } from "@/lib/store/testing/rows";
import { openTempEngine, tempDir } from "@/lib/store/testing/temp-store";
import type { LogEvent } from "@/lib/store/types";

test("the log of an ended run becomes one row, and reads as before from every number", async () => {
  const { engine, store } = await openPacking();
  await addConversation(store);
  const log = endOf(events(1, 1000));
  await addRun(store, "r1", log);
  await untilPacked(engine);
  expect(await rowsOf(engine)).toEqual({ plain: 0, packed: 1 });
  expect(await store.log.read("r1", 0, 2000)).toEqual(log);
  for (const after of [0, 1, 499, 1000])
    expect(await store.log.read("r1", after, 2)).toEqual(log.slice(after, after + 2));
  expect(await store.log.read("r1", 1001, 2)).toEqual([]);
  expect(await store.log.lastSeq("r1")).toBe(1001);
  await expect(store.log.append("r1", events(1001, 1001), false)).rejects.toMatchObject({
    code: "duplicate",
  });
  await expect(store.log.append("r1", events(5, 5), true)).rejects.toMatchObject({ code: "duplicate" });
});

test("the log of a run that goes on stays as it is, and what a later start adds to one comes after it", async () => {
  const { dataDir, engine, store } = await openPacking();
  await addConversation(store);
  await addRun(store, "live", events(1, 300));
  await addRun(store, "done", endOf(events(1, 300)));
  await until(async () => (await rowsOf(engine)).packed === 1);
  const { plain } = await rowsOf(engine);
  expect(plain).toBeGreaterThan(0);
  await store.log.append("live", [{ seq: 301, at: 1, data: { type: "result", result: result() } }], true);
  await store.close();
  const again = await openPacking(dataDir);
  await untilPacked(again.engine);
  expect(await again.store.log.read("live", 299, 9)).toHaveLength(2);
  expect(await again.store.log.lastSeq("live")).toBe(301);
});

test("a start packs what those before it have left, but no log that may go on", async () => {
  const dataDir = tempDir();
  const before = await openPacking(dataDir, { delayMs: 600_000 });
  await addConversation(before.store);
  await addRun(before.store, "unfinished", events(1, 300));
  await addRun(before.store, "done", endOf(events(1, 300)));
  await before.store.close();
  const { engine, store } = await openPacking(dataDir);
  // They are looked at in this order.
  await until(async () => (await rowsOf(engine)).packed === 1);
  const { rows } = await sql<{ run_id: string }>`select distinct run_id from event_range
    join run_key on run_key.run = event_range.run where packed is null`.execute(engine.log);
  expect(rows.map(({ run_id }) => run_id)).toEqual(["unfinished"]);
  expect(await store.log.read("unfinished", 0, 1000)).toEqual(events(1, 300));
});

test("a reader that turns pages while its log is packed and another is deleted misses nothing", async () => {
  const { engine, store } = await openPacking();
  await addConversation(store);
  const log = endOf(events(1, 20_000));
  await addRun(store, "gone", endOf(events(1, 5000)));
  const reading = async () => {
    const seen: LogEvent[] = [];
    for (;;) {
      const page = await store.log.read("r1", seen.length, 37);
      seen.push(...page);
      if (page.length === 0) return seen;
      await new Promise(setImmediate);
    }
  };
  await store.runs.create(run("r1"));
  await store.log.append("r1", log, false);
  await store.runs.finish("r1", { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
  const seen = await Promise.all([reading(), reading(), store.log.delete(["gone"])]);
  expect(seen.slice(0, 2)).toEqual([log, log]);
  await untilPacked(engine);
  expect(await rowsOf(engine)).toEqual({ plain: 0, packed: 5 });
  expect(await store.log.lastSeq("gone")).toBe(0);
  expect(await reading()).toEqual(log);
});

test("a row that cannot be read stays, those before and after it are packed", async () => {
  const { engine, store } = await openPacking();
  await addConversation(store);
  await store.runs.create(run("r1"));
  await store.log.append("r1", endOf(events(1, 600)), false);
  await sql`update event_range set data = '[{' where first = 129`.execute(engine.log);
  await store.runs.finish("r1", { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
  await until(async () => (await rowsOf(engine)).plain === 1);
  expect(await rowsOf(engine)).toEqual({ plain: 1, packed: 5 });
  expect(await store.log.read("r1", 0, 128)).toEqual(events(1, 128));
  expect(await store.log.read("r1", 256, 1000)).toEqual(endOf(events(1, 600)).slice(256));
  await expect(store.log.read("r1", 128, 1)).rejects.toMatchObject({ code: "broken_row" });
});

test("one large event is packed as it is", async () => {
  const { engine, store } = await openPacking();
  await addConversation(store);
  const content = [{ type: "text" as const, text: "line of a file\n".repeat(40_000) }];
  const large = { id: "a", status: "ok" as const, content };
  const log = endOf([
    ...events(1, 3),
    { seq: 4, at: 1, data: { type: "tool_result", result: large, durationMs: 1 } as Chunk },
  ]);
  await store.runs.create(run("r1"));
  for (const event of log) await store.log.append("r1", [event], false);
  await store.runs.finish("r1", { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
  await untilPacked(engine);
  expect(await store.log.read("r1", 0, 10)).toEqual(log);
});

test("a run whose messages take megabytes is packed without parsing them, and its last row is not kept in memory", async () => {
  const { engine, store } = await openPacking();
  await addConversation(store);
  const text = "line of a file\n".repeat(200_000);
  const historyDelta = [{ role: "assistant" as const, parts: [{ type: "text" as const, text }] }];
  const end = { seq: 4, at: 9000, data: { type: "result", result: result({ historyDelta }) } as Chunk };
  await store.runs.create(run("r1"));
  await store.log.append("r1", [...events(1, 3), end], false);
  const parsed = vi.spyOn(JSON, "parse");
  onTestFinished(() => parsed.mockRestore());
  await store.runs.finish("r1", { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
  await untilPacked(engine);
  expect(Math.max(...parsed.mock.calls.map(([json]) => json.length))).toBeLessThan(10_000);
  const [first] = await store.log.read("r1", 3, 1);
  const [second] = await store.log.read("r1", 3, 1);
  expect(first).toEqual(end);
  expect(second).not.toBe(first);
});

test("a disk that fills up while logs are packed: they read as they are, and are packed when there is room", async () => {
  const engine = await openTempEngine();
  let [isFull, refused] = [false, 0];
  const write: Engine["write"] = async (work, durable) => {
    if (!isFull) return engine.write(work, durable);
    refused++;
    throw new StoreError("disk_full", "no room");
  };
  const faults: unknown[] = [];
  const packer = { ...soon, onFault: (cause: unknown) => faults.push(cause) };
  const store = await openStoreOn({ ...engine, write }, { packer });
  onTestFinished(() => store.close());
  await addConversation(store);
  const log = endOf(events(1, 300));
  await store.runs.create(run("r1"));
  await store.log.append("r1", log, false);
  isFull = true;
  await store.runs.finish("r1", { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
  await until(async () => refused > 2);
  expect(await store.log.read("r1", 0, 5000)).toEqual(log);
  isFull = false;
  await untilPacked(engine);
  expect(await store.log.read("r1", 0, 5000)).toEqual(log);
  expect(faults).toEqual([]);
});

test("rows that were deleted or packed meanwhile are not replaced", async () => {
  const { engine, store } = await openPacking();
  await store.log.append("r1", events(1, 300), false);
  const packed = { first: 1, last: 128, at: 1, data: "", packed: Uint8Array.of(1) };
  await engine.write((writer) => {
    writer.replace("gone", packed, 1);
    writer.replace("r1", packed, 2);
  }, false);
  expect(await store.log.read("r1", 0, 1000)).toEqual(events(1, 300));
});
