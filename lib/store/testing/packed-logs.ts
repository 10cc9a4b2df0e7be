import { sql } from "kysely";
import { onTestFinished } from "vitest";
import type { Engine } from "@/lib/store/engine";
import { openStoreOn } from "@/lib/store/open-store";
import type { PackerOptions } from "@/lib/store/packing/log-packer";
import type { Store } from "@/lib/store/ports";
import type { LogEvent } from "@/lib/store/types";
import { conversation, message, run, runEnd } from "./rows";
import { openTempEngine, tempDir } from "./temp-store";

export const soon: PackerOptions = { delayMs: 0, retryMs: 10 };

/** A store that packs logs as soon as their runs have ended. */
export async function openPacking(dataDir = tempDir(), packer: PackerOptions = soon) {
  const engine = await openTempEngine(dataDir);
  const store = await openStoreOn(engine, { packer });
  onTestFinished(() => store.close());
  return { dataDir, engine, store };
}

/** Rows of the log: how many hold events as they came, and how many are packed. */
export async function rowsOf({ log }: Engine) {
  const { rows } = await sql<{ plain: number; packed: number }>`select
    count(*) filter (where packed is null) as plain, count(packed) as packed from event_range`.execute(log);
  return { ...rows[0] };
}

export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

export const untilPacked = (engine: Engine) => until(async () => (await rowsOf(engine)).plain === 0);

/** A run with this log, and its end. */
export async function addRun({ runs, log }: Store, id: string, list: readonly LogEvent[]): Promise<void> {
  await runs.create(run(id));
  // Some rows, as a live run writes them.
  for (let at = 0; at < list.length; at += 200) await log.append(id, list.slice(at, at + 200), false);
  await runs.finish(id, { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
}

export async function addConversation({ conversations, messages }: Store): Promise<void> {
  await conversations.create(conversation());
  await messages.append("c1", [message("q", null)]);
}
