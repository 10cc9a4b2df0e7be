import { statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "@/lib/store/engine";
import { openStoreOn } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { openSqliteEngine } from "@/lib/store/sqlite-engine";
import { conversation, endOf, events, message, run, runEnd } from "@/lib/store/testing/rows";
import { tempDir } from "@/lib/store/testing/temp-store";
import type { LogEvent } from "@/lib/store/types";
import type { PackerOptions } from "./log-packer";

const soon: PackerOptions = { delayMs: 0, retryMs: 10 };

async function open(dataDir = tempDir(), packer: PackerOptions = soon) {
  const engine = await openSqliteEngine(dataDir);
  const store = await openStoreOn(engine, { packer });
  onTestFinished(() => store.close());
  return { dataDir, engine, store };
}

/** Rows of the log: how many hold events as they came, and how many are packed. */
async function rowsOf({ log }: Engine) {
  const { rows } = await sql<{ plain: number; packed: number }>`select
    count(*) filter (where packed is null) as plain, count(packed) as packed from event_range`.execute(log);
  return { ...rows[0] };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const untilPacked = (engine: Engine) => until(async () => (await rowsOf(engine)).plain === 0);

/** A run with this log, and its end. */
async function addRun({ runs, log }: Store, id: string, list: readonly LogEvent[]): Promise<void> {
  await runs.create(run(id));
  // Some rows, as a live run writes them.
  for (let at = 0; at < list.length; at += 200) await log.append(id, list.slice(at, at + 200), false);
  await runs.finish(id, { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
}

async function addConversation({ conversations, messages }: Store): Promise<void> {
  await conversations.create(conversation());
  await messages.append("c1", [message("q", null)]);
}

test("free pages are given back when logs were packed and deleted", async () => {
  const { engine, store } = await open();
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
