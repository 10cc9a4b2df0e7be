import { expect, test } from "vitest";
import { type DeliveryRow, hooksKey, type StoredHook } from "./hook-ports";
import type { Store } from "./ports";
import { conversation, message, result, run, runEnd } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";
import type { RunRow } from "./types";

const hook = (id: string, patch: Partial<StoredHook> = {}): StoredHook => ({
  ...{ id, events: ["run.completed"], enabled: true, off: null, createdAt: 1, sealed: "sealed" },
  ...patch,
});

async function open(...hooks: StoredHook[]): Promise<Store> {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null)]);
  if (hooks.length > 0) await store.settings.set("ann", hooksKey, hooks);
  return store;
}

async function end({ runs }: Store, id: string, status: RunRow["status"] = "completed", at = 5_000) {
  await runs.create(run(id, { parentId: id }));
  const { messages, ...over } = runEnd(result());
  await runs.finish(id, { status, endedAt: at, iterations: [], result: over }, []);
}

const all = { each: 100, limit: 1_000 };
const dueOf = async ({ hookDeliveries }: Store, now = 10_000) =>
  (await hookDeliveries.due(now, all)).map(({ runId, hookId, event }) => `${runId} ${hookId} ${event}`);

const trial: DeliveryRow = {
  ...{ id: "msg_t", userId: "ann", hookId: "a", event: "hook.test", runId: null, conversationId: null },
  ...{ state: "waiting", createdAt: 6_000, attempts: 0, nextAt: 6_000, last: null },
};

test("the end of a run adds what the hooks of its person asked for, and those alone hear of it that listen", async () => {
  const store = await open(
    hook("a"),
    hook("b", { events: ["run.failed", "run.waiting"] }),
    hook("off", { enabled: false }),
  );
  await store.settings.set("bob", hooksKey, [hook("bobs")]);
  let told = 0;
  const unlisten = store.hookDeliveries.onAdded(() => told++);
  await end(store, "r1");
  await end(store, "r2", "failed", 5_001);
  await end(store, "r3", "waiting", 5_002);
  await end(store, "r4", "stopped", 5_003);
  expect(await dueOf(store)).toEqual(["r1 a run.completed", "r2 b run.failed", "r3 b run.waiting"]);
  expect(told).toBe(3);
  unlisten();
  await end(store, "r5", "completed", 5_004);
  expect(told).toBe(3);
  expect(await dueOf(store, 5_001)).toEqual(["r1 a run.completed", "r2 b run.failed"]);
  expect(await store.hookDeliveries.nextAt(5_001)).toBe(5_002);
});

test("without a hook, or with a setting that nobody can read, a run has its end and nothing is added", async () => {
  const store = await open();
  await end(store, "r1");
  await store.settings.set("ann", hooksKey, { no: "list" });
  await end(store, "r2");
  expect((await store.runs.get("ann", "r2"))?.status).toBe("completed");
  expect(await dueOf(store)).toEqual([]);
});

test("an end that cannot be stored adds nothing", async () => {
  const store = await open(hook("a"));
  await end(store, "r1");
  await expect(end(store, "r1")).rejects.toMatchObject({ code: "duplicate" });
  const { messages, ...over } = runEnd(result());
  const again = { status: "failed" as const, endedAt: 6_000, iterations: [], result: over };
  await expect(store.runs.finish("r1", again, [])).rejects.toMatchObject({ code: "conflict" });
  expect(await dueOf(store)).toEqual(["r1 a run.completed"]);
});

test("an attempt is begun once; what has begun anew is not ended by the one before", async () => {
  const store = await open(hook("a"));
  const { hookDeliveries } = store;
  await end(store, "r1");
  const [row] = await hookDeliveries.due(10_000, all);
  if (!row) throw new Error("One was awaited.");
  const begun = await Promise.all([1, 2, 3].map(() => hookDeliveries.claim(row, 20_000)));
  expect(begun.filter(Boolean)).toHaveLength(1);
  expect(await dueOf(store)).toEqual([]);
  const [late] = await hookDeliveries.due(20_000, all);
  expect(late).toMatchObject({ attempts: 1, state: "waiting" });
  expect(late && (await hookDeliveries.claim(late, 30_000))).toBe(true);
  const last = { at: 1, status: 500, error: null, text: "no", tookMs: 3 };
  await hookDeliveries.settle(row.id, 1, { state: "failed", nextAt: null, last });
  const hookOf = { userId: "ann", hookId: "a" };
  const listed = async () => (await hookDeliveries.list(hookOf, { limit: 10 })).items;
  expect(await listed()).toMatchObject([{ attempts: 2, state: "waiting", nextAt: 30_000, last: null }]);
  await hookDeliveries.settle(row.id, 2, { state: "arrived", nextAt: null, last: { ...last, status: 200 } });
  expect(await listed()).toMatchObject([{ state: "arrived", nextAt: null, last: { status: 200 } }]);
  expect(await hookDeliveries.hasArrived("a", 4_999)).toBe(true);
  expect(await hookDeliveries.hasArrived("a", 5_000)).toBe(false);
  expect(await hookDeliveries.claim({ id: row.id, attempts: 2 }, 40_000)).toBe(false);
  await expect(hookDeliveries.again({ ...hookOf, userId: "bob" }, row.id, 7_000)).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await hookDeliveries.again(hookOf, row.id, 7_000)).toMatchObject({ attempts: 0, nextAt: 7_000 });
});

test("of a hook few are due at once, and those of others stand beside them", async () => {
  const store = await open(hook("a"), hook("b", { events: ["run.failed"] }));
  for (let at = 0; at < 5; at++) await end(store, `r${at}`, "completed", 5_000 + at);
  await end(store, "f", "failed", 6_000);
  const due = await store.hookDeliveries.due(10_000, { each: 2, limit: 10 });
  expect(due.map(({ runId }) => runId)).toEqual(["r0", "r1", "f"]);
});

test("of what a hook was not told any more, as too much waits for it, few are kept", async () => {
  const store = await open(hook("a"));
  for (let at = 0; at < 305; at++) await end(store, `r${at}`, "completed", 5_000 + at);
  const { items } = await store.hookDeliveries.list({ userId: "ann", hookId: "a" }, { limit: 400 });
  expect(items.map(({ runId }) => runId)).toEqual(
    [...Array(100).keys()]
      .map((at) => `r${304 - at}`)
      .concat([...Array(200).keys()].map((at) => `r${199 - at}`)),
  );
});

test("what is over stays for a while, what waits until it is sent, and with its hook or its conversation all goes", async () => {
  const store = await open(hook("a"));
  const { hookDeliveries } = store;
  for (let at = 0; at < 5; at++) await end(store, `r${at}`, "completed", 5_000 + at);
  const rows = await hookDeliveries.due(10_000, all);
  for (const row of rows.slice(0, 4)) {
    await hookDeliveries.claim(row, 20_000);
    await hookDeliveries.settle(row.id, 1, { state: "arrived", nextAt: null, last: null });
  }
  const left = async () =>
    (await hookDeliveries.list({ userId: "ann", hookId: "a" }, { limit: 10 })).items.map(
      ({ runId }) => runId,
    );
  await hookDeliveries.prune("a", 3);
  expect(await left()).toEqual(["r4", "r3", "r2", "r1"]);
  await hookDeliveries.deleteBefore(5_002);
  expect(await left()).toEqual(["r4", "r3", "r2"]);
  await hookDeliveries.deleteBefore(9_000);
  expect(await left()).toEqual(["r4"]);
  expect(await hookDeliveries.add(trial)).toBe(true);
  expect(Object.fromEntries(await hookDeliveries.counts("ann", 0))).toEqual({
    a: { arrived: 0, failed: 0, waiting: 1 },
  });
  await store.conversations.hide("c1", 1);
  expect(await left()).toEqual([null]);
  await store.conversations.delete("c1");
  expect(await dueOf(store)).toEqual(["null a hook.test"]);
  await hookDeliveries.stop("a");
  expect(await dueOf(store)).toEqual([]);
  const { items } = await hookDeliveries.list({ userId: "ann", hookId: "a" }, { limit: 10 });
  expect(items).toMatchObject([{ state: "failed", nextAt: null, last: { error: "off" } }]);
  await hookDeliveries.deleteOf("a");
  expect(await left()).toEqual([]);
});

test("a person's hooks and what waits for them go with the person, and stay when everything is deleted without it", async () => {
  const store = await open(hook("a"));
  await end(store, "r1");
  await store.empty();
  expect(await dueOf(store)).toEqual([]);
  expect(await store.settings.get("ann", hooksKey)).toHaveLength(1);
  await store.hookDeliveries.add(trial);
  await store.deletedPeople.deleteRest("ann");
  expect(await dueOf(store)).toEqual([]);
  expect(await store.settings.get("ann", hooksKey)).toBeUndefined();
});
