import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import { openStore } from "@/lib/store/open-store";
import { writeOldLog } from "@/lib/store/testing/old-files";
import { endedLog, events, result } from "@/lib/store/testing/rows";
import { openTempStore, tempDir } from "@/lib/store/testing/temp-store";
import type { LogEvent } from "@/lib/store/types";
import { copyLog } from "./copy-log";

/** A folder whose log has a row for each event, with these runs. */
async function oldLog(runs: Record<string, readonly LogEvent[]>): Promise<{ dataDir: string; path: string }> {
  const dataDir = tempDir();
  await (await openStore({ dataDir })).close();
  const path = join(dataDir, "run-log.db");
  await writeOldLog(path, runs);
  return { dataDir, path };
}

const end = (seq: number): LogEvent => ({
  seq,
  at: 9000,
  data: { type: "result", result: result() } as Chunk,
});

function rowsOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db
    .prepare(
      "select run_id, count(*) as rows, count(packed) as packed from event_range join run_key using (run) group by run",
    )
    .all();
  db.close();
  return rows;
}

test("each run of a log with a row for each event reads as before; ended ones are packed", async () => {
  const done = [...events(1, 5000), end(5001)];
  const live = events(1, 300);
  const { dataDir, path } = await oldLog({ done, live, short: [end(1)] });
  const store = await openTempStore({ dataDir });
  expect(await store.log.read("done", 0, 10_000)).toEqual(done);
  expect(await store.log.read("live", 0, 10_000)).toEqual(live);
  expect(await store.log.read("short", 0, 10_000)).toEqual([end(1)]);
  expect(rowsOf(path)).toMatchObject([
    { run_id: "done", rows: 2, packed: 2 },
    { run_id: "live", packed: 0 },
    { run_id: "short", rows: 1, packed: 1 },
  ]);
  await store.log.append("live", [end(301)], true);
  expect(await store.log.lastSeq("live")).toBe(301);
});

test("a damaged line is taken along as it is, and what stands before and after it can be read", async () => {
  const list = [...events(1, 10), end(11)];
  const { dataDir, path } = await oldLog({ r1: list });
  const raw = new DatabaseSync(path);
  raw.exec("update run_event set data = '{\"type\"' where seq = 4");
  raw.close();
  const store = await openTempStore({ dataDir });
  expect(await store.log.read("r1", 0, 3)).toEqual(events(1, 3));
  await expect(store.log.read("r1", 3, 1)).rejects.toMatchObject({ code: "broken_row" });
  expect(await store.log.read("r1", 4, 100)).toEqual(list.slice(4));
});

test("an empty one becomes an empty one", async () => {
  const { dataDir, path } = await oldLog({});
  const store = await openTempStore({ dataDir });
  expect(await store.log.lastSeq("r1")).toBe(0);
  expect(rowsOf(path)).toEqual([]);
});

test("one long run tells all the time how far it is", async () => {
  const { path } = await oldLog({ r1: endedLog(20_000) });
  const told: string[] = [];
  await copyLog({ from: path, to: `${path}.new` }, { at: (state) => void told.push(state()) });
  const rewritten = told.filter((line) => line === "0 of 1 runs rewritten");
  const compared = told.filter((line) => line === "0 of 1 runs compared");
  // Read 1,000 at a time, and packed 4,096 at a time.
  expect(rewritten.length).toBeGreaterThan(22);
  expect(compared.length).toBeGreaterThan(22);
});
