import { expect, test } from "vitest";
import { StoreError, type StoreErrorCode } from "@/lib/store/errors";
import { failureOfStore } from "./store-failure";

test.each<[StoreErrorCode, string]>([
  ["disk_full", "507 disk_full"],
  ["busy", "503 database"],
  ["read_only", "503 database"],
  ["io", "503 database"],
  ["corrupt", "500 damaged"],
  ["broken_row", "500 damaged"],
  ["duplicate", "none"],
])("%s of the store is %s, without a path in its words", (code, expected) => {
  const failure = failureOfStore(new StoreError(code, "/home/ann/data/meguri.db is so and so"));
  expect(failure ? `${failure.status} ${failure.code}` : "none").toBe(expected);
  expect(JSON.stringify([failure?.message, failure?.details])).not.toContain("/home/ann");
});

test("a full disk under the attachments has the same name", () => {
  const cause = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(failureOfStore(cause)).toMatchObject({ status: 507, code: "disk_full" });
});
