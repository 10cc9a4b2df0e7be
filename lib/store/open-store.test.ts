import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrations } from "@/lib/store/migrations/migrations";
import { DataDirInUseError } from "./errors";
import { openStore } from "./open-store";
import { chain, conversation, events } from "./testing/rows";
import { startWriter } from "./testing/start-writer";
import { openTempStore, placeOf, tempDir } from "./testing/temp-store";

const refusal = async (dataDir: string): Promise<unknown> =>
  openStore(await placeOf(dataDir)).then(
    async (store) => {
      await store.close();
      return "opened";
    },
    (cause: unknown) => cause,
  );

test("a missing folder is made, for its owner only, and the store answers", async () => {
  const dataDir = join(tempDir(), "a", "b");
  const store = await openTempStore({ dataDir });
  await store.probe();
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

test("what was stored is there after closing and opening again, twice", async () => {
  const dataDir = tempDir();
  const first = await openStore(await placeOf(dataDir));
  await first.conversations.create(conversation());
  await first.messages.append("c1", chain(["a", "b"]));
  await first.log.append("r1", events(1, 3), false);
  await first.close();
  for (let time = 0; time < 2; time++) {
    const store = await openStore(await placeOf(dataDir));
    expect((await store.messages.branch("c1", "b")).rows).toEqual(chain(["a", "b"]));
    expect(await store.log.read("r1", 0, 10)).toEqual(events(1, 3));
    await store.close();
  }
});

test("a second process on the same folder is refused with the pid of the first, until that is killed", async () => {
  const dataDir = tempDir();
  const writer = await startWriter(dataDir);
  const error = await refusal(dataDir);
  expect(error).toBeInstanceOf(DataDirInUseError);
  expect((error as DataDirInUseError).pid).toBe(writer.pid);
  expect((error as Error).message).toBe(
    `DATA_DIR ${dataDir} is in use by process ${writer.pid}; stop it, or set DATA_DIR to another folder.`,
  );
  await writer.kill();
  expect(readFileSync(join(dataDir, "meguri.pid"), "utf8")).toBe(`${writer.pid}\n`);
  expect(await refusal(dataDir)).toBe("opened");
});

test("the same process is refused a second store on a folder, and the first one keeps its lock", async () => {
  const dataDir = tempDir();
  await openTempStore({ dataDir });
  expect(await refusal(dataDir)).toMatchObject({ name: "DataDirInUseError", pid: process.pid });
  expect(await refusal(dataDir)).toMatchObject({ name: "DataDirInUseError", pid: process.pid });
});

test.runIf(existsSync("/dev/full"))(
  "a full disk keeps the number out of its file, not the lock off the folder",
  async () => {
    const dataDir = tempDir();
    symlinkSync("/dev/full", join(dataDir, "meguri.pid"));
    const store = await openTempStore({ dataDir });
    expect(await refusal(dataDir)).toMatchObject({ name: "DataDirInUseError", pid: null });
    await store.close();
    expect(await refusal(dataDir)).toBe("opened");
  },
);

test("a number left behind that belongs to another program now does not lock the folder", async () => {
  const dataDir = tempDir();
  writeFileSync(join(dataDir, "meguri.pid"), `${process.ppid}\n`);
  expect(await refusal(dataDir)).toBe("opened");
});

test("a folder that cannot be made or written is refused with the next step", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  for (const dataDir of [file, join(file, "data"), "/proc/meguri/data", "/dev/null/data"]) {
    const error = await refusal(dataDir);
    expect(error).toMatchObject({ name: "StoreError", code: "data_dir" });
    expect((error as Error).message).toMatch(/cannot be written .* set DATA_DIR to another folder\.$/);
    expect((error as Error).message).toContain(dataDir);
  }
});

test("a folder into which a backup was not restored to its end is refused, and nothing is made in it", async () => {
  const dataDir = tempDir();
  mkdirSync(join(dataDir, "meguri.restoring"));
  const error = await refusal(dataDir);
  expect(error).toMatchObject({ name: "StoreError", code: "data_dir" });
  expect((error as Error).message).toContain("empty the folder and restore again");
  expect(readdirSync(dataDir)).toEqual(["meguri.restoring"]);
});

test("the numbers of migrations grow", () => {
  const versions = migrations.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
});
