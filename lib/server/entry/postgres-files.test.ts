import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BlobFolder } from "@/lib/server/attachments/blob-folder";
import { startWriter } from "@/lib/store/testing/start-writer";
import { askStored, openTempStore, tempDir } from "@/lib/store/testing/temp-store";
import type { AttachmentRow } from "@/lib/store/types";
import { openFiles } from "./open-files";

async function openOn(dataDir: string) {
  const store = await openTempStore({ dataDir });
  const told: unknown[] = [];
  const log = {
    info: (...said: unknown[]) => told.push(said),
    error: (...said: unknown[]) => told.push(said),
  };
  const deps = { env: { DATA_DIR: dataDir }, store, log } as unknown as Parameters<typeof openFiles>[0];
  return {
    store,
    told,
    start: () =>
      openFiles(
        deps,
        async () => 1e9,
        () => {},
      ),
  };
}

const row = (id: string, characters: number | null = null): AttachmentRow => ({
  ...{ id, userId: "ann", conversationId: null, projectId: null, name: "a.txt", mediaType: "text/plain" },
  ...{ size: 1, characters, createdAt: Date.now() },
});

/** What a version before has left: files beside a database that has their rows, and one of another database. */
async function olderFolder() {
  const dataDir = tempDir();
  const opened = await openOn(dataDir);
  const folder = join(dataDir, "attachments");
  await mkdir(folder);
  await opened.store.attachments.add(row("one", 3), 1_000);
  await opened.store.attachments.add(row("two"), 1_000);
  const large = Buffer.alloc(700_000, "2");
  for (const [name, bytes] of [
    ["one", "first"],
    ["one.txt", "1st"],
    ["two", large],
    ["cut.part", "half"],
    ["elsewhere", "of SQLite"],
  ] as const)
    await writeFile(join(folder, name), bytes);
  return { ...opened, folder, large };
}

test("what an earlier version kept in the folder is taken into the database once, and nobody else's file is touched", async () => {
  const { start, told, folder, large } = await olderFolder();
  const files = await start();
  expect((await files.read("one")).toString()).toBe("first");
  expect(await files.readText("one")).toBe("1st");
  expect((await files.read("two")).equals(large)).toBe(true);
  expect(await files.has("elsewhere")).toBe(false);
  expect(await readdir(folder)).toEqual(["cut.part", "elsewhere"]);
  expect(told).toEqual([[{ files: 3 }, expect.stringContaining("are in the database now")]]);
  await start();
  expect(told).toHaveLength(1);
});

test("a start that was cut short while it took them goes on with the next", async () => {
  const { start, store, told, folder, large } = await olderFolder();
  if (!store.blobs) throw new Error("PostgreSQL keeps files in the database.");
  const inDatabase = new BlobFolder(store.blobs);
  // One is there whole and not gone here yet, and of another there is half.
  await inDatabase.put("one", Buffer.from("first"));
  await store.blobs.add("two.part", 0, Buffer.alloc(262_144, "0"));
  await store.blobs.add("two.part", 1, Buffer.alloc(262_144, "0"));
  await store.blobs.add("two.part", 2, Buffer.alloc(262_144, "0"));
  const files = await start();
  expect((await files.read("two")).equals(large)).toBe(true);
  expect((await files.read("one")).toString()).toBe("first");
  expect(await readdir(folder)).toEqual(["cut.part", "elsewhere"]);
  expect(told).toEqual([[{ files: 3 }, expect.anything()]]);
});

test("a file that cannot be read stays where it is, and the others are taken", async () => {
  const { start, told, folder, store } = await olderFolder();
  await store.attachments.add(row("odd"), 1_000);
  await mkdir(join(folder, "odd"));
  const files = await start();
  expect(await files.has("two")).toBe(true);
  expect(await readdir(folder)).toEqual(["cut.part", "elsewhere", "odd"]);
  expect(told).toEqual([
    [{ err: expect.any(Error), name: "odd" }, expect.stringContaining("the next start tries again")],
    [{ files: 3 }, expect.anything()],
  ]);
});

test("after kill -9 in the middle of an upload nothing looks like the file, and a day later nothing is left", async () => {
  const dataDir = tempDir();
  const writer = await startWriter(dataDir, "", "../../server/attachments/testing/endless-upload.ts");
  await writer.until("megabyte", 3);
  await writer.kill();
  const { store, start } = await openOn(dataDir);
  const files = await start();
  expect(await files.has("cut")).toBe(false);
  // Another instance may be receiving it.
  expect((await files.usage()).bytes).toBeGreaterThanOrEqual(3 * 1024 * 1024);
  await askStored(
    dataDir,
    "records",
    "update attachment_blob set written_at = written_at - interval '25 hours'",
  );
  await store.blobs?.sweep();
  expect(await files.usage()).toEqual({ bytes: 0 });
});
