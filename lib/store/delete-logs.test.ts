import { expect, onTestFinished, test } from "vitest";
import { deleteLogs } from "./delete-logs";
import { openRunLog } from "./run-log";
import { events } from "./testing/rows";
import { openTempEngine } from "./testing/temp-store";

async function openWith(ids: readonly string[]) {
  const engine = await openTempEngine();
  onTestFinished(() => engine.close());
  const log = openRunLog(engine);
  for (const id of ids) await engine.records.insertInto("deleted_run").values({ id }).execute();
  const left = async () => (await engine.records.selectFrom("deleted_run").selectAll().execute()).length;
  return { records: engine.records, log, left };
}

test("a run counts as deleted only when its log is gone", async () => {
  const { records, log, left } = await openWith(["r1", "r2"]);
  const broken = { ...log, delete: () => Promise.reject(new Error("no disk")) };
  await expect(deleteLogs(records, broken)).rejects.toThrow("no disk");
  expect(await left()).toBe(2);
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = {
    ...log,
    delete: async (ids: readonly string[]) => {
      begun.resolve();
      await gate.promise;
      await log.delete(ids);
    },
  };
  const deleting = deleteLogs(records, slow);
  await begun.promise;
  expect(await left()).toBe(2);
  gate.resolve();
  await deleting;
  expect(await left()).toBe(0);
});

test("of more runs than go at once every log is deleted, and no other", async () => {
  const ids = Array.from({ length: 501 }, (_, n) => `r${n}`);
  const { records, log, left } = await openWith(ids);
  for (const id of [...ids, "kept"]) await log.append(id, events(1, 1), false);
  await deleteLogs(records, log);
  expect(await left()).toBe(0);
  const last = await Promise.all([...ids, "kept"].map((id) => log.lastSeq(id)));
  expect(last.filter((seq) => seq > 0)).toEqual([1]);
  expect(await log.lastSeq("kept")).toBe(1);
});
