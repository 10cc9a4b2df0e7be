import { expect, onTestFinished, test } from "vitest";
import { newestVersion } from "./migrations/migrate";
import { openStore } from "./open-store";
import type { Store } from "./ports";
import { newerLine } from "./testing/newer-instance";
import { claimNext, expandFolder, expandTables, nextVersion } from "./testing/newer-tables";
import { addRun, openPacking, untilPacked } from "./testing/packed-logs";
import { addPerson } from "./testing/people";
import { ask } from "./testing/postgres-server";
import { conversation, endOf, events, message, run, runEnd } from "./testing/rows";
import { askStored, openTempStore, placeOf, tempDir } from "./testing/temp-store";
import type { LogEvent } from "./types";

/** A place whose tables a newer version has added to, closed. */
async function newerPlace(fill: (store: Store) => Promise<void> = async () => {}): Promise<string> {
  const dataDir = tempDir();
  const place = await placeOf(dataDir);
  const store = await openStore(place);
  await fill(store);
  await store.close();
  if (place.databaseUrl === undefined) expandFolder(dataDir);
  else await ask(place.databaseUrl, expandTables);
  return dataDir;
}

async function versionsOf(dataDir: string) {
  const rows = await askStored(
    dataDir,
    "records",
    `select version, compatible_from from schema_version where version >= ${newestVersion()} order by version`,
  );
  return rows.map(({ version, compatible_from: from }) => [Number(version), Number(from)]);
}

/** A conversation that is asked and answered. */
async function answer(store: Store, id: string): Promise<void> {
  const question = message(`q-${id}`, null, {
    conversationId: id,
    message: { role: "user", parts: [{ type: "text", text: "the harbour" }] },
  });
  const row = run(`r-${id}`, {
    conversationId: id,
    messageId: `a-${id}`,
    parentId: question.id,
    endedAt: null,
  });
  await store.runs.begin({ ...row, status: "running" }, { conversation: conversation({ id }), question });
  await store.log.append(row.id, events(1, 20), true);
  const end = { status: "completed" as const, iterations: [], endedAt: 5, result: runEnd() };
  await store.runs.finish(row.id, end, [
    message(`a-${id}`, question.id, { conversationId: id, message: { role: "assistant", parts: [] } }),
  ]);
}

test("what a newer version has added to is read and written as before, and what is new stays", async () => {
  const dataDir = await newerPlace((store) => answer(store, "before"));
  const store = await openTempStore({ dataDir });
  await answer(store, "after");
  const { items } = await store.conversations.list("ann", { limit: 5 });
  expect(items.map(({ id }) => id).toSorted()).toEqual(["after", "before"]);
  expect((await store.search.messages("ann", "harbour", { limit: 5 })).items).toHaveLength(2);
  expect(await store.log.read("r-before", 0, 100)).toEqual(events(1, 20));
  expect(await store.log.read("r-after", 0, 100)).toEqual(events(1, 20));
  await store.settings.set("ann", "instructions", "short");
  expect(await store.settings.get("ann", "instructions")).toBe("short");
  expect((await store.usage()).conversations).toBeGreaterThan(0);
  await store.conversations.delete("before");
  await store.close();

  expect(await askStored(dataDir, "records", "select id, newer from conversation")).toEqual([
    { id: "after", newer: "new" },
  ]);
  expect(await askStored(dataDir, "records", "select id from newer_thing order by id")).toHaveLength(2);
  expect((await versionsOf(dataDir)).at(-1)).toEqual([nextVersion, newestVersion()]);
});

test("a line of a kind that is not known is kept with all that it says, also where its log is packed", async () => {
  const { engine, store } = await openPacking();
  const newer = { seq: 4, at: 1, data: newerLine as unknown as LogEvent["data"] };
  const log = endOf([...events(1, 3), newer]);
  await store.conversations.create(conversation());
  await addRun(store, "r1", log);
  await untilPacked(engine);
  expect(await store.log.read("r1", 0, 9)).toEqual(log);
});

test("one that only newer programs can go on with is refused with both versions, and left as it is", async () => {
  const dataDir = await newerPlace();
  await askStored(dataDir, "records", claimNext(nextVersion));
  const place = await placeOf(dataDir);
  for (let time = 0; time < 2; time++)
    await expect(openStore(place)).rejects.toMatchObject({
      ...{ name: "StoreError", code: "newer_version" },
      message: expect.stringContaining(
        `was written by a newer Meguri (schema ${nextVersion}, which needs ${nextVersion} or newer; this one knows ${newestVersion()}); start that version again, or set`,
      ),
    });
  expect((await versionsOf(dataDir)).at(-1)).toEqual([nextVersion, nextVersion]);
});

test("a row from before the second number was kept counts for programs of its version alone", async () => {
  const dataDir = await newerPlace();
  await askStored(dataDir, "records", "update schema_version set compatible_from = null");
  await expect(openStore(await placeOf(dataDir))).rejects.toMatchObject({ code: "newer_version" });
});

test("what has to know all that is there refuses each newer version", async () => {
  const place = await placeOf(await newerPlace());
  await expect(openStore({ ...place, isExact: true })).rejects.toThrow(
    `which needs ${nextVersion} or newer; this one knows ${newestVersion()}`,
  );
  await (await openStore(place)).close();
});

test("who is deleted is gone from tables of a newer version too, and nobody else is", async () => {
  const store = await openTempStore({ dataDir: await newerPlace((before) => addPerson(before, "ann")) });
  await store.deletedPeople.deleteRest("ann");
  const left = await store.accounts.database.db
    .selectFrom("newer_thing" as "setting")
    .select("user_id")
    .execute();
  expect(left).toEqual([{ user_id: "ben" }]);
});

test("everything that was written is deleted of a newer version too, and who may be here stays", async () => {
  const dataDir = await newerPlace(async (store) => {
    await addPerson(store, "ann");
    await answer(store, "c1");
    await store.settings.set("ann", "rules", ["kept"]);
  });
  const { databaseUrl } = await placeOf(dataDir);
  const store = await openTempStore({ dataDir });
  await store.empty();
  expect((await store.conversations.list("ann", { limit: 5 })).items).toEqual([]);
  expect(await store.settings.get("ann", "rules")).toEqual(["kept"]);
  expect(await store.accounts.person("ann")).toMatchObject({ id: "ann" });
  await answer(store, "c2");
  await store.close();
  // The files are new ones, of this version; the newer one adds to them again at its next start.
  if (databaseUrl === undefined) expandFolder(dataDir);
  else expect(await askStored(dataDir, "records", "select * from newer_thing")).toEqual([]);
  const again = await openStore(await placeOf(dataDir));
  onTestFinished(() => again.close());
  expect((await again.conversations.list("ann", { limit: 5 })).items).toHaveLength(1);
});
