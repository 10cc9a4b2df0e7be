import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { events } from "./testing/rows";
import { askStored, openTempStore, tempDir } from "./testing/temp-store";

test("a record is kept under its name, in place of the one before, and is read as it was written", async () => {
  const { log } = await openTempStore();
  await log.append("r1", events(1, 2), false);
  const large = randomBytes(300_000);
  await log.addWire("r1", "a", [Buffer.from("first")]);
  await log.addWire("r1", "a", [large]);
  expect(Buffer.from((await log.wire("r1", "a")) ?? []).equals(large)).toBe(true);
  expect(await log.wire("r1", "b")).toBeUndefined();
  expect(await log.wire("r2", "a")).toBeUndefined();
});

test("of a run without a log nothing is kept, so that none outlives its run", async () => {
  const { log } = await openTempStore();
  await log.append("r1", events(1, 2), false);
  await log.delete(["r1"]);
  await log.addWire("r1", "a", [Buffer.from("late")]);
  await log.append("r1", events(1, 2), false);
  expect(await log.wire("r1", "a")).toBeUndefined();
});

test("records go with their run, however large they are together, and count as its bytes", async () => {
  const dataDir = tempDir();
  const { log } = await openTempStore({ dataDir });
  for (const run of ["r1", "r2"]) {
    await log.append(run, events(1, 2), false);
    for (let at = 0; at < 20; at++) await log.addWire(run, `w${at}`, [randomBytes(200_000)]);
  }
  expect(await log.bytes(["r1"])).toBeGreaterThan(4_000_000);
  await log.delete(["r1"]);
  expect(await log.wire("r1", "w3")).toBeUndefined();
  expect(await log.wire("r2", "w19")).toHaveLength(200_000);
  expect(await askStored(dataDir, "log", "select name from wire_record")).toHaveLength(20);
});

test("one that is damaged is told as none", async () => {
  const dataDir = tempDir();
  const { log } = await openTempStore({ dataDir });
  await log.append("r1", events(1, 2), false);
  await log.addWire("r1", "a", [Buffer.from("whole")]);
  await askStored(dataDir, "log", "update wire_record set body = substr(body, 1, 4)");
  expect(await log.wire("r1", "a")).toBeUndefined();
});
