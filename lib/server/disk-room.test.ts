import { statfs } from "node:fs/promises";
import { expect, test } from "vitest";
import { tempDir } from "@/lib/store/testing/temp-store";
import { DiskRoom } from "./disk-room";

const [megabyte, gigabyte] = [1_000_000, 1_000_000_000];

function openRoom(size: number) {
  const told: string[] = [];
  const disk = { free: size, size };
  const log = { warn: () => void told.push("low"), info: () => void told.push("ok") };
  return { told, disk, room: new DiskRoom("/data", log, async () => disk) };
}

test.each([
  [4 * gigabyte, 500 * megabyte],
  [100 * gigabyte, 5 * gigabyte],
  [4_000 * gigabyte, 10 * gigabyte],
])("a disk of %d bytes is low below %d", async (size, low) => {
  const { disk, room } = openRoom(size);
  disk.free = low;
  expect(await room.state()).toBe("ok");
  disk.free = low - 1;
  expect(await room.state()).toBe("low");
});

test("the log is told once that a disk is low, and once that it has room again", async () => {
  const { disk, room, told } = openRoom(100 * gigabyte);
  await room.state();
  disk.free = 1;
  for (let time = 0; time < 3; time++) await room.state();
  disk.free = disk.size;
  for (let time = 0; time < 3; time++) await room.state();
  expect(told).toEqual(["low", "ok"]);
});

test("a folder has a disk, and one that cannot be asked counts as before", async () => {
  const told: object[] = [];
  const log = { warn: (about: object) => void told.push(about), info: () => {} };
  const folder = tempDir();
  const { bavail, blocks, bsize } = await statfs(folder);
  const isLow = bavail * bsize < Math.min(10e9, Math.max(500e6, blocks * bsize * 0.05));
  expect(await new DiskRoom(folder, log).state()).toBe(isLow ? "low" : "ok");
  const before = told.length;
  expect(await new DiskRoom("/nowhere/at/all", log).state()).toBe("ok");
  expect(told).toHaveLength(before);
});
