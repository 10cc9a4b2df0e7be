import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { JournalSync } from "./journal-sync";
import { tempDir } from "./testing/temp-store";

function open() {
  const path = join(tempDir(), "meguri.db-wal");
  writeFileSync(path, "pages");
  const journal = new JournalSync(path);
  onTestFinished(() => journal.close());
  return { path, journal };
}

test("those who ask while the disk is waited for share the next wait, which begins after that", async () => {
  const { journal } = open();
  const first = journal.sync();
  await Promise.resolve();
  const [second, third] = [journal.sync(), journal.sync()];
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  const order: string[] = [];
  await Promise.all([second.then(() => order.push("second")), first.then(() => order.push("first"))]);
  expect(order).toEqual(["first", "second"]);
});

test("a file that cannot be opened is a fault of the store, and looked for again the next time", async () => {
  const { path, journal } = open();
  renameSync(path, `${path}.away`);
  await expect(journal.sync()).rejects.toMatchObject({ name: "StoreError", code: "io" });
  renameSync(`${path}.away`, path);
  await journal.sync();
});

test("a closed one begins with the file that is there then", async () => {
  const { path, journal } = open();
  await journal.sync();
  await journal.close();
  renameSync(path, `${path}.old`);
  await expect(journal.sync()).rejects.toMatchObject({ code: "io" });
});
