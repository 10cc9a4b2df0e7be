import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { StoreError } from "./errors";
import { openStore } from "./open-store";
import { conversation } from "./testing/rows";
import { openTempStore, tempDir } from "./testing/temp-store";

const refusal = (dataDir: string): Promise<unknown> =>
  openStore({ dataDir }).then(
    async (store) => {
      await store.close();
      return "opened";
    },
    (cause: unknown) => cause,
  );

test("files are for their owner only", async () => {
  const dataDir = tempDir();
  await (await openTempStore({ dataDir })).probe();
  for (const name of ["meguri.db", "run-log.db-wal"])
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
});

test("closing leaves two whole files without a journal, and closing again does nothing", async () => {
  const dataDir = tempDir();
  const store = await openStore({ dataDir });
  await store.conversations.create(conversation());
  await Promise.all([store.close(), store.close()]);
  await store.close();
  expect(readdirSync(dataDir).sort()).toEqual(["meguri.db", "meguri.lock", "run-log.db"]);
});

test("a folder in place of a database file is refused and nothing stays locked", async () => {
  const dataDir = tempDir();
  mkdirSync(join(dataDir, "run-log.db"));
  for (let time = 0; time < 2; time++)
    expect(await refusal(dataDir)).toMatchObject({ name: "StoreError", code: "data_dir" });
});

test.each(["meguri.db", "run-log.db"])(
  "a %s of a newer version is refused and left as it is",
  async (file) => {
    const dataDir = tempDir();
    await (await openStore({ dataDir })).close();
    const path = join(dataDir, file);
    const raw = new DatabaseSync(path);
    raw.exec("insert into schema_version (version) values (99)");
    raw.close();
    const before = readFileSync(path);
    for (let time = 0; time < 2; time++) {
      const error = await refusal(dataDir);
      expect(error).toMatchObject({ name: "StoreError", code: "newer_version" });
      expect((error as Error).message).toContain(`${path} was written by a newer Meguri (schema 99`);
    }
    expect(readFileSync(path)).toEqual(before);
  },
);

test.each(["meguri.db", "run-log.db"])(
  "a %s that is no database is refused and left as it is",
  async (file) => {
    const dataDir = tempDir();
    const path = join(dataDir, file);
    const garbage = "not a database ".repeat(1000);
    writeFileSync(path, garbage);
    const error = await refusal(dataDir);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: "corrupt" });
    expect((error as Error).message).toMatch(/restore it from a backup, or move it away to start empty\.$/);
    expect(readFileSync(path, "utf8")).toBe(garbage);
    expect(existsSync(join(dirname(path), "meguri.pid"))).toBe(false);
  },
);
