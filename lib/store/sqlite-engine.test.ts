import { statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { openRunLog } from "./run-log";
import { openSqliteEngine } from "./sqlite-engine";
import { events, text } from "./testing/rows";
import { tempDir } from "./testing/temp-store";
import type { LogEvent } from "./types";

test("a large log is deleted in parts of so many rows and bytes, small ones at once", async () => {
  const engine = await openSqliteEngine(tempDir());
  onTestFinished(() => engine.close());
  const log = openRunLog(engine);
  const rows = async () => {
    const { rows: counts } = await sql<{ id: string; rows: number }>`select run_id as id, count(*) as rows
      from event_range join run_key using (run) group by run`.execute(engine.log);
    return Object.fromEntries(counts.map(({ id, rows: count }) => [id, count]));
  };
  const trim = async (ids: string[]) => {
    let isLong: boolean | undefined;
    await engine.write((writer) => (isLong = writer.trim(ids, { rows: 4, bytes: 300_000 })), false);
    return isLong;
  };
  const large = (seq: number): LogEvent => ({ seq, at: 1, data: text("a".repeat(200_000)) });
  await log.append("large", [large(1), large(2), large(3)], false);
  await log.append("long", events(1, 5 * 128), false);
  await log.append("short", events(1, 2), false);
  await engine.write((writer) => writer.settle(), false);
  expect(await trim(["short", "none"])).toBe(false);
  expect(await rows()).toEqual({ large: 3, long: 5, short: 1 });
  const left = [];
  while (await trim(["short", "large", "long"])) left.push(await rows());
  expect(left).toEqual([{ large: 2, long: 5 }, { large: 1, long: 5 }, { long: 2 }]);
  await log.delete(["short", "large", "long"]);
  expect(await rows()).toEqual({});
});

test("while pages are given back the journal stays short, and commits are as safe as before afterwards", async () => {
  const dataDir = tempDir();
  const engine = await openSqliteEngine(dataDir);
  onTestFinished(() => engine.close());
  const path = join(dataDir, "meguri.db-wal");
  const one = async (pragma: string) =>
    Object.values((await sql.raw(pragma).execute(engine.records)).rows[0] ?? {})[0];
  await sql`create table filler as with recursive n(i) as (select 1 union all select i + 1 from n limit 4000)
    select i, hex(randomblob(1500)) as data from n`.execute(engine.records);
  await sql`delete from filler where i % 5 < 4`.execute(engine.records);
  await engine.checkpoint();
  let longest = 0;
  let steps = 0;
  for (; await engine.giveBack(16); steps++) longest = Math.max(longest, statSync(path).size);
  expect(steps).toBeGreaterThan(100);
  expect(longest).toBeLessThan(800_000);
  expect([await one("pragma synchronous"), await one("pragma wal_autocheckpoint")]).toEqual([2, 1000]);
});
