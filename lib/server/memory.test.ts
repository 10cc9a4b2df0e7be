import { expect, test } from "vitest";
import { processesFor, runsFor, usableMemory } from "./memory";

const megabyte = 1024 * 1024;
const gigabyte = 1024 * megabyte;

test("a container's limit counts, else the machine's memory", () => {
  expect(usableMemory(512 * megabyte, 8 * gigabyte)).toBe(512 * megabyte);
  expect(usableMemory(0, 8 * gigabyte)).toBe(8 * gigabyte);
  expect(usableMemory(2 ** 64, 8 * gigabyte)).toBe(8 * gigabyte);
});

test("there is room for a run a megabyte, for 200 at least and 2,000 at most", () => {
  expect([64, 200, 512.9, 1_999, 65_536].map((size) => runsFor(size * megabyte))).toEqual([
    200, 200, 512, 1_999, 2_000,
  ]);
});

test("there is room for a local server for each 80 MB beside Meguri itself, for 4 at least and 32 at most", () => {
  expect([256, 1_024, 2_048, 3_200, 65_536].map((size) => processesFor(size * megabyte))).toEqual([
    4, 4, 16, 31, 32,
  ]);
});
