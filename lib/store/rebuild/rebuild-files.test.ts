import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { StoreError } from "@/lib/store/errors";
import { openStore } from "@/lib/store/open-store";
import { openSqliteEngine } from "@/lib/store/sqlite-engine";
import { contentOf, databases, makeOld, oldFolder } from "@/lib/store/testing/old-files";
import { events } from "@/lib/store/testing/rows";
import { tempDir } from "@/lib/store/testing/temp-store";

const copies = databases.map((file) => `${file}.previous`);
const filesOf = (dataDir: string) => readdirSync(dataDir).sort();
const clean = [...databases, "meguri.lock"].sort();

function pragma(path: string, name: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const value = db.prepare(`pragma ${name}`).get()?.[name];
  db.close();
  return value;
}

test("an old file is rewritten at the start and holds the same; its copy goes at the second good start", async () => {
  const { dataDir, content } = await oldFolder();
  const before = databases.map((file) => readFileSync(join(dataDir, file)));
  expect(await contentOf(dataDir)).toEqual(content);
  expect(filesOf(dataDir)).toEqual([...clean, ...copies].sort());
  expect(copies.map((file) => readFileSync(join(dataDir, file)))).toEqual(before);
  for (const file of databases) {
    expect(pragma(join(dataDir, file), "auto_vacuum")).toBe(2);
    expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
  }
  expect(await contentOf(dataDir)).toEqual(content);
  expect(filesOf(dataDir)).toEqual(clean);
});

test("a start that fails keeps the copies", async () => {
  const { dataDir, content } = await oldFolder();
  await (await openSqliteEngine(dataDir)).close();
  await (await openSqliteEngine(dataDir)).close();
  expect(filesOf(dataDir)).toEqual([...clean, ...copies].sort());
  for (let start = 0; start < 2; start++) expect(await contentOf(dataDir)).toEqual(content);
  expect(filesOf(dataDir)).toEqual(clean);
});

test("a disk without room for it ends the start with the bytes that are needed, and nothing is changed", async () => {
  const { dataDir, content } = await oldFolder();
  const before = databases.map((file) => readFileSync(join(dataDir, file)));
  const error = await openSqliteEngine(dataDir, { freeBytes: () => 1000 }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ name: "StoreError", code: "disk_full" });
  expect((error as Error).message).toMatch(
    /meguri\.db is of an older version, and rewriting it needs up to \d{7} bytes .* 1000 are free; .*Nothing was changed\.$/,
  );
  expect(databases.map((file) => readFileSync(join(dataDir, file)))).toEqual(before);
  expect(filesOf(dataDir)).toEqual(clean);
  expect(await contentOf(dataDir)).toEqual(content);
});

test("a disk that fills up when one file is rewritten and the other is not: nothing is changed or left", async () => {
  const { dataDir, content } = await oldFolder();
  const before = databases.map((file) => readFileSync(join(dataDir, file)));
  const onStep = (step: string) => {
    if (step === "log built") throw new StoreError("disk_full", "no room");
  };
  await expect(openSqliteEngine(dataDir, { onStep })).rejects.toMatchObject({ code: "disk_full" });
  expect(databases.map((file) => readFileSync(join(dataDir, file)))).toEqual(before);
  // The connection that has compared cannot write, so it leaves its empty journal.
  expect(filesOf(dataDir).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(clean);
  expect(await contentOf(dataDir)).toEqual(content);
});

test("with one file of a newer version the other, old one is left as it is", async () => {
  const { dataDir } = await oldFolder();
  const log = new DatabaseSync(join(dataDir, "run-log.db"));
  log.exec("insert into schema_version (version) values (99)");
  log.close();
  const before = databases.map((file) => readFileSync(join(dataDir, file)));
  await expect(openStore({ dataDir })).rejects.toMatchObject({ code: "newer_version" });
  expect(databases.map((file) => readFileSync(join(dataDir, file)))).toEqual(before);
});

test("what a killed process left in the journal of an old file is taken along", async () => {
  const dataDir = tempDir();
  const store = await openStore({ dataDir });
  await store.log.append("r1", events(1, 3), true);
  await store.close();
  makeOld(join(dataDir, "run-log.db"));
  const raw = new DatabaseSync(join(dataDir, "run-log.db"));
  raw.exec("create table left_behind (a text); insert into left_behind values ('x')");
  const killed = tempDir();
  cpSync(dataDir, killed, { recursive: true });
  raw.close();
  expect(statSync(join(killed, "run-log.db-wal")).size).toBeGreaterThan(0);
  await (await openStore({ dataDir: killed })).close();
  for (const file of ["run-log.db", "run-log.db.previous"]) {
    const db = new DatabaseSync(join(killed, file), { readOnly: true });
    expect(db.prepare("select a from left_behind").all()).toMatchObject([{ a: "x" }]);
    db.close();
  }
});

const steps = ["records", "log"].flatMap((area) =>
  ["built", "verified", "moved away", "replaced"].map((step) => `${area} ${step}`),
);

test.each(steps)(
  "after kill -9 with the %s, the next start goes on and everything is there",
  async (step) => {
    const { dataDir, content } = await oldFolder();
    expect(upgradeUntil(dataDir, step)).toBe("SIGKILL");
    expect(await contentOf(dataDir)).toEqual(content);
    // The copies outlive the first start that opens everything.
    expect(filesOf(dataDir)).toEqual([...clean, ...copies].sort());
    expect(await contentOf(dataDir)).toEqual(content);
    expect(filesOf(dataDir)).toEqual(clean);
  },
);

function upgradeUntil(dataDir: string, step: string): string | null {
  const testing = join(import.meta.dirname, "../testing");
  const flags = ["--experimental-transform-types", "--no-warnings", "--import"];
  const { signal } = spawnSync(
    process.execPath,
    [...flags, join(testing, "run-typescript.ts"), join(testing, "start-store.ts"), dataDir, step],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  return signal;
}
