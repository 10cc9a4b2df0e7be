import { expect, onTestFinished, test } from "vitest";
import { openPostgresBlobs } from "./postgres-blobs";
import { openPostgresEngine } from "./postgres-engine";
import { conversation } from "./testing/rows";
import { askStored, openTempEngine, openTempStore, placeOf, tempDir } from "./testing/temp-store";

/** A store, and the files of its database as another process has them. */
async function openTwo() {
  const dataDir = tempDir();
  const store = await openTempStore({ dataDir });
  const { databaseUrl = "" } = await placeOf(dataDir);
  const other = openPostgresBlobs(databaseUrl);
  onTestFinished(() => other.close());
  if (!store.blobs) throw new Error("PostgreSQL keeps files in the database.");
  const ask = (statement: string) => askStored(dataDir, "records", statement);
  const names = async () =>
    (await ask("select distinct name from attachment_blob order by name")).map(({ name }) => name);
  const age = () => ask("update attachment_blob set written_at = written_at - interval '25 hours'");
  return { store, blobs: store.blobs, other, ask, names, age };
}

const attachment = (id: string) => ({
  ...{ id, userId: "ann", conversationId: null, projectId: null, name: "a.txt", mediaType: "text/plain" },
  ...{ size: 1, characters: null, createdAt: Date.now() },
});

test("what one process keeps, another has, and deletes", async () => {
  const { blobs, other } = await openTwo();
  await blobs.add("a.part", 0, Buffer.from("one "));
  await blobs.add("a.part", 1, Buffer.from("two"));
  expect(await other.has("a")).toBe(false);
  await blobs.rename("a.part", "a");
  expect(await other.read("a", 0)).toEqual({ bytes: Buffer.from("one "), isLast: false });
  expect(await other.read("a", 1)).toEqual({ bytes: Buffer.from("two"), isLast: true });
  expect(await other.read("a", 2)).toBeUndefined();
  expect([await blobs.bytes(), await other.bytes()]).toEqual([7, 7]);
  await other.delete(["a"]);
  expect(await blobs.has("a")).toBe(false);
});

test("a file that is deleted while it is written gets no second half", async () => {
  const { blobs, other } = await openTwo();
  await blobs.add("a.part", 0, Buffer.from("one"));
  await other.delete(["a.part"]);
  await expect(blobs.add("a.part", 1, Buffer.from("two"))).rejects.toMatchObject({ code: "not_found" });
  await expect(blobs.rename("a.part", "a")).rejects.toMatchObject({ code: "not_found" });
  await blobs.add("b", 0, Buffer.from("b"));
  await expect(blobs.add("b", 0, Buffer.from("x"))).rejects.toMatchObject({ code: "duplicate" });
});

test("what was cut short goes a day later, and nothing that has a row or is being written", async () => {
  const { store, blobs, other, names, age } = await openTwo();
  await store.attachments.add(attachment("kept"), 1_000);
  for (const name of ["kept", "kept.txt", "cut.part", "cut.txt", "orphan"])
    await blobs.add(name, 0, Buffer.from("a"));
  await other.sweep();
  expect(await names()).toEqual(["cut.part", "cut.txt", "kept", "kept.txt", "orphan"]);
  await age();
  await blobs.add("slow.part", 0, Buffer.from("a"));
  await age();
  await blobs.add("slow.part", 1, Buffer.from("b"));
  await other.sweep();
  expect(await names()).toEqual(["kept", "kept.txt", "slow.part"]);
  expect(await store.attachments.deleteLoose(Date.now() + 1)).toEqual(["kept"]);
  // The process that has deleted the row is killed here.
  await blobs.sweep();
  expect(await names()).toEqual(["slow.part"]);
});

test("two instances on one database have the same files", async () => {
  const dataDir = tempDir();
  const { databaseUrl: url = "" } = await placeOf(dataDir);
  const open = () => openPostgresEngine({ dataDir: tempDir(), url, isShared: true });
  const [one, other] = await Promise.all([open(), open()]);
  await one.blobs?.add("a", 0, Buffer.from("one"));
  expect((await other.blobs?.read("a", 0))?.bytes.toString()).toBe("one");
  await one.close();
  await other.blobs?.delete(["a"]);
  expect(await other.blobs?.bytes()).toBe(0);
  await other.close();
});

test("more than is deleted at once goes in one sweep", async () => {
  const { blobs, names, age } = await openTwo();
  for (let count = 0; count < 45; count++) await blobs.add(`x${count}`, 0, Buffer.from("a"));
  await age();
  await blobs.sweep();
  expect(await names()).toEqual([]);
});

test("a file waits for no writer of records, and they for none", async () => {
  const engine = await openTempEngine();
  onTestFinished(() => engine.close());
  const { blobs, records } = engine;
  await records.transaction().execute(async (trx) => {
    await trx.insertInto("setting").values({ user_id: "ann", key: "a", value: "1" }).execute();
    await blobs?.add("a", 0, Buffer.alloc(1_000));
    expect(await blobs?.has("a")).toBe(true);
  });
});

test("after a fault files are read and written as before", async () => {
  const { blobs, ask } = await openTwo();
  await blobs.add("a", 0, Buffer.from("one"));
  const faults = [
    ["alter table attachment_blob rename to away", "alter table away rename to attachment_blob"],
    [
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      "select 1",
    ],
  ] as const;
  for (const [fault, repair] of faults) {
    // As many at once as have a session.
    const reads = Promise.allSettled(Array.from({ length: 3 }, () => blobs.read("a", 0)));
    await ask(fault);
    await Promise.allSettled([reads, blobs.read("a", 0), blobs.add("b", 0, Buffer.from("two"))]);
    await ask(repair);
    await expect.poll(() => blobs.read("a", 0).then((read) => read?.bytes.toString())).toBe("one");
    await blobs.delete(["b"]);
    await blobs.add("b", 0, Buffer.from("two"));
  }
  await ask("alter table attachment_blob rename to away");
  await expect(blobs.read("a", 0)).rejects.toThrow('"attachment_blob" does not exist');
});

test("files go with everything else, and are counted by themselves", async () => {
  const { store, blobs, names } = await openTwo();
  await store.conversations.create(conversation());
  const before = await store.usage();
  await blobs.add("a", 0, Buffer.alloc(1_000_000));
  expect(await store.usage()).toEqual(before);
  expect(await blobs.bytes()).toBe(1_000_000);
  await store.empty();
  expect(await names()).toEqual([]);
});
