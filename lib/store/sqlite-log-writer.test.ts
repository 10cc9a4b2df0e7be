import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteEngine } from "./sqlite-engine";
import { openLogWriter } from "./sqlite-log-writer";
import { tempDir } from "./testing/temp-store";

test("only a durable write waits for the disk, and the records always do", async () => {
  const engine = await openSqliteEngine(tempDir());
  onTestFinished(() => engine.close());
  const level = async (db: typeof engine.log) =>
    (await sql<{ synchronous: number }>`pragma synchronous`.execute(db)).rows[0]?.synchronous;
  const [normal, full] = [1, 2];
  expect([await level(engine.records), await level(engine.log)]).toEqual([full, normal]);
  const path = join(tempDir(), "file.db");
  const file = new DatabaseSync(path);
  onTestFinished(() => file.close());
  file.exec("pragma journal_mode = wal; pragma synchronous = normal");
  file.exec("create table run_key (run integer primary key, run_id text)");
  file.exec("create table event_range (run, first, last, at, data, packed)");
  file.exec("create table event_journal (id integer primary key, run, first, last, at, data)");
  const levels: unknown[] = [];
  const note = () => void levels.push(file.prepare("pragma synchronous").get()?.synchronous);
  const { write } = openLogWriter(file, path);
  write(note, false);
  write(note, true);
  write(note, false);
  const broken = () => {
    throw new Error("broken");
  };
  expect(() => write(broken, true)).toThrow("broken");
  write(note, false);
  expect(levels).toEqual([normal, full, normal, normal]);
});

test("values come back as columns hold them", async () => {
  const engine = await openSqliteEngine(tempDir());
  onTestFinished(() => engine.close());
  const { rows } = await sql`select ${true} as a, ${null} as b, ${1_753_000_000_000} as c`.execute(
    engine.records,
  );
  expect(rows.map((row) => ({ ...(row as object) }))).toEqual([{ a: 1, b: null, c: 1_753_000_000_000 }]);
});
