import { statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { openStoreOn } from "@/lib/store/open-store";
import { openSqliteEngine } from "@/lib/store/sqlite-engine";
import {
  addConversation,
  addRun,
  openPacking,
  soon,
  until,
  untilPacked,
} from "@/lib/store/testing/packed-logs";
import { endOf, events } from "@/lib/store/testing/rows";
import { tempDir } from "@/lib/store/testing/temp-store";
import type { LogEvent } from "@/lib/store/types";

test("free pages are given back when logs were packed and deleted", async () => {
  const { engine, store } = await openPacking();
  await addConversation(store);
  for (const id of ["r1", "r2", "r3"]) await addRun(store, id, endOf(noise(4000)));
  const pages = async (name: string) => {
    const { rows } = await sql.raw<Record<string, number>>(`pragma ${name}`).execute(engine.log);
    return rows[0]?.[name] ?? 0;
  };
  const before = await pages("page_count");
  await untilPacked(engine);
  await store.conversations.delete("c1");
  await until(async () => (await pages("freelist_count")) <= 64);
  expect(await pages("page_count")).toBeLessThan(before / 2);
  expect(await store.log.lastSeq("r1")).toBe(0);
});

test("when there is nothing to do the journals are written back", async () => {
  const dataDir = tempDir();
  const engine = await openSqliteEngine(dataDir);
  let checkpoints = 0;
  const checkpoint = async () => {
    await engine.checkpoint();
    checkpoints++;
  };
  const store = await openStoreOn({ ...engine, checkpoint }, { packer: { ...soon, idleMs: 20 } });
  onTestFinished(() => store.close());
  await addConversation(store);
  await addRun(store, "r1", endOf(events(1, 300)));
  await untilPacked(engine);
  await until(async () => checkpoints > 0);
  for (const file of ["meguri.db-wal", "run-log.db-wal"]) expect(statSync(join(dataDir, file)).size).toBe(0);
});

/** Pieces of text that do not compress to nothing. */
function noise(count: number): LogEvent[] {
  let state = 7;
  const letter = () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  };
  return events(1, count).map((event) => ({
    ...event,
    data: { type: "text", content: Array.from({ length: 80 }, letter).join("") },
  }));
}
