import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Engine } from "./engine";
import { StoreError } from "./errors";
import { JournalSync } from "./journal-sync";
import { openStoreOn } from "./open-store";
import { firstRun, outcomesOf } from "./testing/rows";
import { openTempEngine, openTempStore, tempDir } from "./testing/temp-store";

/** A store whose disk is slow: what it was asked for is there when `written` has resolved. */
async function openSlow(written: () => Promise<void>) {
  const engine = await openTempEngine();
  let early = 0;
  const commitEarly: Engine["commitEarly"] = async (work) => {
    early++;
    const committed = await engine.commitEarly?.(work);
    return { durable: Promise.all([committed?.durable, written()]).then(() => {}) };
  };
  const store = await openStoreOn({ ...engine, commitEarly });
  onTestFinished(() => store.close());
  return { engine, store, early: () => early };
}

test("a run is there as soon as it is committed, and stored for good when the disk has it", async () => {
  const disk = Promise.withResolvers<void>();
  const { store, early } = await openSlow(() => disk.promise);
  const committed = Promise.withResolvers<void>();
  const onCommitted = vi.fn(() => committed.resolve());
  let isStored = false;
  const begun = store.runs.begin(...firstRun("a"), onCommitted).then(() => {
    isStored = true;
  });
  await committed.promise;
  expect((await store.runs.get("ann", "r-a"))?.status).toBe("running");
  // Who asks for no more than that it is stored has the disk waited for at once, and is not held up.
  await store.runs.begin(...firstRun("b"));
  expect({ isStored, early: early() }).toEqual({ isStored: false, early: 1 });
  disk.resolve();
  await begun;
  expect(onCommitted).toHaveBeenCalledTimes(1);
});

test("one that shares its commit with another which waits for the disk waits with it", async () => {
  const { store, early } = await openSlow(() => new Promise(() => {}));
  const onCommitted = vi.fn();
  await Promise.all([store.runs.begin(...firstRun("a"), onCommitted), store.runs.begin(...firstRun("b"))]);
  expect(onCommitted).toHaveBeenCalledTimes(1);
  expect(early()).toBe(0);
});

test("a disk that fails is told to whoever waits for it, and to nobody else", async () => {
  let fault: StoreError | undefined = new StoreError("io", "gone");
  const { store } = await openSlow(async () => {
    if (fault) throw fault;
  });
  const begin = (name: string) => store.runs.begin(...firstRun(name), () => {});
  expect(await outcomesOf([begin("a")])).toEqual(["io"]);
  fault = undefined;
  expect(await outcomesOf([begin("b")])).toEqual(["stored"]);
});

test("of those who share a commit that is refused each is tried by itself", async () => {
  const engine = await openTempEngine();
  let refusals = 2;
  const commitEarly: Engine["commitEarly"] = async (work) => {
    if (refusals-- > 0) throw new StoreError("disk_full", "full");
    return (await engine.commitEarly?.(work)) ?? { durable: Promise.resolve() };
  };
  const store = await openStoreOn({ ...engine, commitEarly });
  onTestFinished(() => store.close());
  const begin = (name: string) => store.runs.begin(...firstRun(name), () => {});
  expect(await outcomesOf([begin("a"), begin("b")])).toEqual(["disk_full", "stored"]);
  const stored = await Promise.all(["r-a", "r-b"].map((id) => store.runs.get("ann", id)));
  expect(stored.map((row) => row?.status)).toEqual([undefined, "running"]);
});

test("what the disk has refused once is written into the database, or was not stored", async () => {
  const dataDir = tempDir();
  const store = await openTempStore({ dataDir });
  const refuse = () =>
    vi.spyOn(JournalSync.prototype, "sync").mockRejectedValueOnce(new StoreError("io", "gone"));
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const begin = (name: string) => store.runs.begin(...firstRun(name), () => {});
  refuse();
  await begin("a");
  expect(statSync(join(dataDir, "meguri.db-wal")).size).toBe(0);
  // Whoever reads keeps the journal from being written back.
  const reader = new DatabaseSync(join(dataDir, "meguri.db"));
  reader.exec("begin; select count(*) from run");
  refuse();
  expect(await outcomesOf([begin("b")])).toEqual(["io"]);
  reader.close();
  expect(await outcomesOf([begin("c")])).toEqual(["stored"]);
});

test("an early commit leaves all others as they are, also when it is refused", async () => {
  const { engine, store } = await openSlow(async () => {});
  const safety = async () =>
    (await sql<{ synchronous: number }>`pragma synchronous`.execute(engine.records)).rows[0]?.synchronous;
  const full = 2;
  expect(await safety()).toBe(full);
  await store.runs.begin(...firstRun("a"), () => {});
  expect(await safety()).toBe(full);
  const [row] = firstRun("nowhere");
  const onCommitted = vi.fn();
  expect(await outcomesOf([store.runs.begin(row, {}, onCommitted)])).toEqual(["not_found"]);
  expect(onCommitted).not.toHaveBeenCalled();
  expect(await safety()).toBe(full);
});
