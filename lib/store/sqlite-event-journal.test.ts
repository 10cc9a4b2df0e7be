import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "./engine";
import { openRunLog } from "./run-log";
import { openSqliteEngine } from "./sqlite-engine";
import { endOf, events } from "./testing/rows";
import { startWriter } from "./testing/start-writer";
import { tempDir } from "./testing/temp-store";

async function openLog(dataDir = tempDir()) {
  const engine = await openSqliteEngine(dataDir);
  onTestFinished(() => engine.close().catch(() => {}));
  return { dataDir, engine, log: openRunLog(engine) };
}

/** As somebody sees the file who opens it beside. */
function rowsIn(dataDir: string) {
  const file = new DatabaseSync(join(dataDir, "run-log.db"), { readOnly: true });
  const count = (table: string) => Number(file.prepare(`select count(*) as n from ${table}`).get()?.n);
  const rows = { journal: count("event_journal"), settled: count("event_range") };
  file.close();
  return rows;
}

const settle = ({ write }: Engine) => write((writer) => writer.settle(), false);
const numbers = async ({ log }: Awaited<ReturnType<typeof openLog>>, run: string) =>
  (await log.read(run, 0, 100_000)).map(({ seq }) => seq);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test("rows stand in the journal until there are enough of a run, and are read from both", async () => {
  const opened = await openLog();
  const { dataDir, log } = opened;
  for (let seq = 1; seq <= 100; seq++) await log.append("r1", events(seq, seq), false);
  expect(rowsIn(dataDir)).toEqual({ journal: 100, settled: 0 });
  expect(await numbers(opened, "r1")).toEqual(upTo(100));
  for (let seq = 101; seq <= 140; seq++) await log.append("r1", events(seq, seq), false);
  expect(rowsIn(dataDir)).toEqual({ journal: 140, settled: 1 });
  expect(await log.read("r1", 0, 1_000)).toEqual(events(1, 140));
  expect(await log.read("r1", 126, 5)).toEqual(events(127, 131));
  expect(await log.lastSeq("r1")).toBe(140);
  await expect(log.append("r1", events(140, 140), false)).rejects.toMatchObject({ code: "duplicate" });
});

test("the end of a run settles it, and one that writes seldom keeps nothing else in the journal for long", async () => {
  const opened = await openLog();
  const { dataDir, log } = opened;
  await log.append("slow", events(1, 1), false);
  for (let run = 1; run <= 90; run++) {
    for (let seq = 1; seq <= 99; seq++) await log.append(`r${run}`, events(seq, seq), false);
    await log.append(`r${run}`, endOf(events(100, 100)), false);
    // The row before all of them is not settled: nothing behind it is deleted, and it is not either.
    if (run === 6) expect(rowsIn(dataDir).journal).toBeGreaterThan(6 * 99);
  }
  const { journal } = rowsIn(dataDir);
  expect(journal).toBeLessThan(9_000);
  expect(await numbers(opened, "slow")).toEqual([1]);
  expect(await numbers(opened, "r1")).toEqual(upTo(101));
});

test("what the process that is killed has not settled is there once after it", async () => {
  const dataDir = tempDir();
  const writer = await startWriter(dataDir, "1");
  await writer.until("event", 400);
  await writer.kill();
  const first = await openLog(dataDir);
  const runs = [...new Set(writer.said.flatMap((line) => line.split("event ")[1] ?? []))];
  const before = await Promise.all(runs.map((run) => first.log.read(run, 0, 100_000)));
  expect(before.flat().length).toBeGreaterThanOrEqual(400);
  await settle(first.engine);
  expect(rowsIn(dataDir).journal).toBe(0);
  expect(await Promise.all(runs.map((run) => first.log.read(run, 0, 100_000)))).toEqual(before);
  await first.engine.close();
  const again = await openLog(dataDir);
  expect(await Promise.all(runs.map((run) => again.log.read(run, 0, 100_000)))).toEqual(before);
});

test("a damaged row of the journal is named, and spoils no other when it is settled", async () => {
  const { dataDir, engine, log } = await openLog();
  for (let seq = 1; seq <= 3; seq++) await log.append("r1", events(seq, seq), false);
  await log.append("r2", events(1, 3), false);
  const copy = tempDir();
  const beside = new DatabaseSync(join(dataDir, "run-log.db"));
  beside.prepare("vacuum into ?").run(join(copy, "run-log.db"));
  beside.close();
  await engine.close();
  const raw = new DatabaseSync(join(copy, "run-log.db"));
  raw.exec("update event_journal set data = '[{' where first = 2 and last = 2");
  raw.exec("pragma journal_mode = wal");
  raw.close();
  const again = await openLog(copy);
  for (const _ of ["in the journal", "settled"]) {
    await expect(again.log.read("r1", 0, 10)).rejects.toThrow("The stored event 2 of run r1 cannot be read");
    expect(await again.log.read("r1", 2, 10)).toEqual(events(3, 3));
    expect(await again.log.read("r2", 0, 10)).toEqual(events(1, 3));
    await settle(again.engine);
  }
});

test("a run that is deleted leaves nothing in the journal, and its key can be used again", async () => {
  const opened = await openLog();
  const { dataDir, engine, log } = opened;
  await log.append("r1", events(1, 5), false);
  await log.append("r2", endOf(events(1, 5)), false);
  await log.delete(["r1", "r2"]);
  expect(rowsIn(dataDir)).toEqual({ journal: 0, settled: 0 });
  expect(await numbers(opened, "r2")).toEqual([]);
  await log.append("r3", events(1, 2), false);
  expect(await numbers(opened, "r3")).toEqual([1, 2]);
  await engine.close();
  expect(await numbers(await openLog(dataDir), "r3")).toEqual([1, 2]);
});

test("a commit that fails leaves the journal as it was", async () => {
  const opened = await openLog();
  const { engine, log } = opened;
  await log.append("r1", events(1, 120), false);
  const both = engine.write((writer) => {
    writer.insert([
      { runId: "r1", ranges: [{ first: 121, last: 140, at: 1, data: "[]", joins: true }] },
      { runId: "r1", ranges: [{ first: 130, last: 141, at: 1, data: "[]", joins: true }] },
    ]);
  }, false);
  await expect(both).rejects.toMatchObject({ code: "duplicate" });
  expect(await log.read("r1", 0, 1_000)).toEqual(events(1, 120));
  await log.append("r1", events(121, 200), false);
  expect(await log.read("r1", 0, 1_000)).toEqual(events(1, 200));
});
