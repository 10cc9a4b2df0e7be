import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStore, openStoreOn } from "./open-store";
import { openRunLog } from "./run-log";
import { conversation, endedLog, events, run, runEnd, text } from "./testing/rows";
import { askStored, openTempEngine, openTempStore, placeOf, tempDir } from "./testing/temp-store";
import type { LogEvent } from "./types";

const seqs = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq);

async function openEngine() {
  const engine = await openTempEngine();
  onTestFinished(() => engine.close());
  return engine;
}

test("events are read in order and in pages, each run for itself", async () => {
  const { log } = await openTempStore();
  await log.append("r1", events(1, 250), true);
  await log.append("r2", events(1, 1), false);
  await log.append("r1", events(251, 260), false);
  await log.append("r1", [], true);
  expect(await log.read("r1", 0, 1000)).toEqual([...events(1, 250), ...events(251, 260)]);
  expect(seqs(await log.read("r1", 248, 4))).toEqual([249, 250, 251, 252]);
  expect(await log.read("r1", 260, 10)).toEqual([]);
  expect([await log.lastSeq("r1"), await log.lastSeq("r2"), await log.lastSeq("r3")]).toEqual([260, 1, 0]);
});

test("what has come at the ends of several logs is read together, up to what is large or damaged", async () => {
  const dataDir = tempDir();
  const { log } = await openTempStore({ dataDir });
  const large: LogEvent = { seq: 4, at: 1, data: text("a".repeat(30_000)) };
  await log.append("r1", events(1, 40), true);
  await log.append("r2", events(1, 3), true);
  await log.append("r2", [large], true);
  await log.append("r2", events(5, 6), true);
  await log.append("r3", events(1, 2), true);
  const places = [
    { runId: "r1", afterSeq: 38 },
    { runId: "r1", afterSeq: 40 },
    { runId: "r2", afterSeq: 1 },
    { runId: "none", afterSeq: 0 },
    { runId: "r3", afterSeq: 0 },
  ];
  // Where it says that nothing more is there, nothing is; else the log is read by itself.
  const check = async () => {
    for (const [index, { events: found, isWhole }] of (await log.tails(places)).entries()) {
      const { runId = "", afterSeq = 0 } = places[index] ?? {};
      const all = await log.read(runId, afterSeq, 100).catch(() => []);
      expect(found).toEqual(all.slice(0, found.length));
      if (isWhole) expect(found).toEqual(all);
    }
  };
  await check();
  if (process.env.STORE_ENGINE === "postgres") {
    expect((await log.tails(places)).map(({ events: found, isWhole }) => [seqs(found), isWhole])).toEqual([
      [[39, 40], true],
      [[], true],
      [[2, 3], false],
      [[], true],
      [[1, 2], true],
    ]);
    await askStored(dataDir, "log", "update event_range set data = '[]x' where first = 1 and last = 2");
    expect((await log.tails(places)).map(({ isWhole }) => isWhole)).toEqual([true, true, false, true, false]);
  }
});

test("a page of large events is no longer than it may be, packed or not", async () => {
  const engine = await openTempEngine();
  const store = await openStoreOn(engine, { packer: { delayMs: 0 } });
  onTestFinished(() => store.close());
  const large = (seq: number): LogEvent => ({ seq, at: 1, data: text("a".repeat(300_000)) });
  const all = [
    ...events(1, 3),
    ...[4, 5, 6, 7].map(large),
    ...endedLog(0).map((end) => ({ ...end, seq: 8 })),
  ];
  for (const event of all) await store.log.append("r1", [event], false);
  const pages = async () => {
    const found: number[][] = [];
    for (let last = 0; last < 8; ) {
      const page = await store.log.read("r1", last, 256, 400_000);
      found.push(seqs(page));
      last = page.at(-1)?.seq ?? 8;
    }
    return found;
  };
  expect(await pages()).toEqual([[1, 2, 3, 4, 5], [6, 7], [8]]);
  await store.conversations.create(conversation());
  await store.runs.create(run("r1"));
  await store.runs.finish("r1", { status: "completed", endedAt: 9000, result: runEnd(), iterations: [] }, []);
  await vi.waitFor(async () => {
    const { rows } = await sql`select 1 from event_range where packed is null`.execute(engine.log);
    expect(rows).toEqual([]);
  }, 15_000);
  expect(await pages()).toEqual([[1, 2, 3, 4, 5], [6, 7], [8]]);
});

test("a number that is there already is refused with the whole append", async () => {
  const { log } = await openTempStore();
  await log.append("r1", events(1, 5), false);
  for (const durable of [true, false]) {
    await expect(log.append("r1", events(5, 7), durable)).rejects.toMatchObject({ code: "duplicate" });
    await expect(log.append("r1", [...events(6, 205), ...events(3, 3)], durable)).rejects.toMatchObject({
      code: "duplicate",
    });
    await expect(log.append("r1", events(0, 0), durable)).rejects.toMatchObject({ code: "invalid" });
  }
  expect(await log.lastSeq("r1")).toBe(5);
});

test("of many appends at once only the broken ones fail", async () => {
  const { log } = await openTempStore();
  await log.append("r7", events(1, 1), false);
  const runs = Array.from({ length: 50 }, (_, index) => `r${index}`);
  const outcomes = await Promise.allSettled([
    ...runs.map((id) => log.append(id, events(1, 5), false)),
    log.append("zero", events(0, 0), false),
    log.append("nan", [{ ...events(1, 1)[0], seq: Number.NaN } as LogEvent], false),
    log.append("no-json", [{ seq: 1, at: 1, data: undefined } as unknown as LogEvent], false),
  ]);
  const failed = outcomes.flatMap((outcome, index) =>
    outcome.status === "rejected" ? [[runs[index] ?? "other", outcome.reason.code]] : [],
  );
  expect(failed).toEqual([
    ["r7", "duplicate"],
    ["other", "invalid"],
    ["other", "invalid"],
    ["other", "invalid"],
  ]);
  expect(await Promise.all(runs.map((id) => log.lastSeq(id)))).toEqual(
    runs.map((id) => (id === "r7" ? 1 : 5)),
  );
  expect(await log.read("r49", 0, 10)).toEqual(events(1, 5));
});

test("a durable append takes those before it along, and later ones come after it", async () => {
  const { log } = await openTempStore();
  const order: string[] = [];
  const append = async (run: string, from: number, to: number, durable: boolean) => {
    await log.append(run, events(from, to), durable);
    order.push(`${run} ${from}-${to}`);
  };
  const durable = [append("r2", 1, 1, false), append("r1", 1, 2, false), append("r1", 3, 3, true)];
  const later = append("r1", 4, 250, false);
  await Promise.all([...durable, later]);
  expect(order).toEqual(["r2 1-1", "r1 1-2", "r1 3-3", "r1 4-250"]);
  expect(await log.read("r1", 0, 1000)).toEqual(events(1, 250));
});

test("what waits when the store is closed is stored", async () => {
  const dataDir = tempDir();
  const store = await openStore(await placeOf(dataDir));
  await Promise.all([store.log.append("r1", events(1, 3), false), store.close()]);
  await expect(store.log.append("r1", events(4, 4), false)).rejects.toThrow();
  const again = await openTempStore({ dataDir });
  expect(await again.log.read("r1", 0, 10)).toEqual(events(1, 3));
});

test("an append that waits when its log is deleted is deleted with it", async () => {
  const { log } = await openTempStore();
  await Promise.all([log.append("r1", events(1, 3), false), log.delete(["r1"])]);
  expect(await log.lastSeq("r1")).toBe(0);
});

test("logs are deleted by run", async () => {
  const { log } = await openTempStore();
  for (const id of ["r1", "r2", "r3"]) await log.append(id, events(1, 3), false);
  await log.delete(["r1", "r3", "r9"]);
  await log.delete([]);
  expect(await Promise.all(["r1", "r2", "r3"].map((id) => log.lastSeq(id)))).toEqual([0, 3, 0]);
});

test("an append does not wait for a transaction in the records", async () => {
  const engine = await openEngine();
  const log = openRunLog(engine);
  await engine.records.transaction().execute(async (trx) => {
    await trx.deleteFrom("conversation").execute();
    await log.append("r1", events(1, 3), false);
    await log.append("r1", events(4, 6), true);
  });
  expect(await log.lastSeq("r1")).toBe(6);
});

test("a value that no column holds is refused instead of stored as nothing", async () => {
  const { records } = await openEngine();
  for (const value of [new Date(0), {}, [], undefined, Number.NaN, Symbol.iterator])
    await expect(sql`select ${value}`.execute(records)).rejects.toMatchObject({ code: "invalid" });
});

test("two transactions at once come one after the other", async () => {
  const { records } = await openEngine();
  const order: string[] = [];
  await Promise.all(
    ["c1", "c2"].map((id) =>
      records.transaction().execute(async (trx) => {
        order.push(`${id} begins`);
        const { title } = conversation();
        await trx
          .insertInto("conversation")
          .values({ id, user_id: "ann", title, pinned: 0, created_at: 1, updated_at: 1 })
          .execute();
        await new Promise(setImmediate);
        order.push(`${id} ends`);
      }),
    ),
  );
  expect(order).toEqual(["c1 begins", "c1 ends", "c2 begins", "c2 ends"]);
});
