import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "./open-store";
import { claimNext, nextVersion, startNext, thisVersion } from "./testing/newer-tables";
import { ask } from "./testing/postgres-server";
import { conversation, run } from "./testing/rows";
import { placeOf, tempDir } from "./testing/temp-store";

/** A database that instances of this version have open, and whether the next one has changed it. */
async function openTogether() {
  const { databaseUrl: url = "" } = await placeOf(tempDir());
  const open = async () => {
    const store = await openStore({ dataDir: tempDir(), databaseUrl: url, isShared: true });
    onTestFinished(() => store.close());
    return store;
  };
  const isThere = async () =>
    (await ask(url, "select to_regclass('newer_thing')::text as name"))[0]?.name === "newer_thing";
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  return { url, open, isThere, warned };
}

test("a migration that older programs can go on with is made beside them, and they go on", async () => {
  const { url, open, isThere } = await openTogether();
  const older = await open();
  await startNext(url);
  expect(await isThere()).toBe(true);
  await older.conversations.create(conversation());
  const second = await open();
  expect(await second.conversations.get("ann", "c1")).toBeDefined();
});

test("a migration that has to wait for a table, as for a backup, keeps nobody else from it meanwhile", async () => {
  const { url, open, isThere } = await openTogether();
  const older = await open();
  await older.conversations.create(conversation());
  const backup = new Client({ connectionString: url });
  await backup.connect();
  await backup.query("begin; lock table conversation in access share mode");
  let isOver = false;
  const migrated = startNext(url).finally(() => {
    isOver = true;
  });
  let read = 0;
  // Longer than one attempt takes, and what waits behind it.
  for (const until = performance.now() + 4_000; performance.now() < until; read++) {
    expect(await older.conversations.get("ann", "c1")).toBeDefined();
    await older.conversations.update("c1", { title: `${read}` });
  }
  expect([isOver, await isThere()]).toEqual([false, false]);
  await backup.end();
  await migrated;
  expect(await isThere()).toBe(true);
});

test("one that they cannot go on with is refused as long as one of them is there, and changes nothing", async () => {
  const { url, open, isThere } = await openTogether();
  const older = await open();
  await expect(startNext(url, nextVersion)).rejects.toMatchObject({
    ...{ name: "StoreError", code: "busy" },
    message: `This version changes the database so that older ones cannot go on with it, and ${older.members.id} is one that runs. Stop all instances of older versions, then start this one; nothing was changed.`,
  });
  expect(await isThere()).toBe(false);
  await older.conversations.create(conversation());
  await older.close();
  await startNext(url, nextVersion);
  expect(await isThere()).toBe(true);
});

test("one that was killed or paused is waited for, and what it has open is ended before the tables change", async () => {
  const { url, isThere } = await openTogether();
  await openStore({ dataDir: tempDir(), databaseUrl: url, isShared: true }).then((store) => store.close());
  await ask(
    url,
    "insert into instance (id, lease_until) values ('meguri killed', clock_timestamp() + interval '1 s')",
  );
  const paused = new Client({ connectionString: url, application_name: "meguri paused" });
  const ended = vi.fn();
  paused.on("error", ended);
  await paused.connect();
  await startNext(url, nextVersion);
  expect(await isThere()).toBe(true);
  await expect.poll(() => ended.mock.calls.length).toBeGreaterThan(0);
  expect(await ask(url, "select id from instance")).toEqual([]);
});

test("whose tables are gone on with by newer programs alone leaves, gives up its runs and writes nothing more", async () => {
  const { url, open, warned } = await openTogether();
  const older = await open();
  const { id } = older.members;
  const lost = vi.fn();
  older.members.onLost(lost);
  await ask(url, claimNext(nextVersion));
  await expect.poll(() => older.members.holds()).toBe(false);
  expect(lost).toHaveBeenCalledOnce();
  await expect.poll(() => ask(url, "select id from instance")).toEqual([]);
  await expect(older.runs.create(run("r1"))).rejects.toMatchObject({ code: "io" });
  const sentence = `The database of DATABASE_URL was written by a newer Meguri (schema ${nextVersion}, which needs ${nextVersion} or newer; this one knows ${thisVersion}); start that version again, or set DATABASE_URL to another database. Until then this process does nothing more.`;
  expect(warned.mock.calls.filter(([text]) => String(text).includes("newer Meguri"))).toEqual([[sentence]]);
  // Who takes it back, as by a restored database, has it again.
  await ask(url, claimNext(thisVersion));
  await expect.poll(() => older.members.holds()).toBe(true);
  expect(older.members.id).not.toBe(id);
  await older.conversations.create(conversation());
});

test("one that wakes up after it was taken for dead does not join again", async () => {
  const { url, open, warned } = await openTogether();
  const paused = await open();
  await ask(url, `delete from instance; ${claimNext(nextVersion)}`);
  await expect.poll(() => warned.mock.calls.map(([text]) => String(text))).toHaveLength(1);
  expect(await ask(url, "select id from instance")).toEqual([]);
  await expect(paused.conversations.create(conversation())).rejects.toMatchObject({ code: "io" });
});
