import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "./open-store";
import { conversation, events, message, run, share } from "./testing/rows";
import { tempDir } from "./testing/temp-store";

const names = ["meguri.db", "meguri.db-wal", "run-log.db", "run-log.db-wal"];

test("what takes space is told by kind, and adds up to the files", async () => {
  const dataDir = tempDir();
  const store = await openStore({ dataDir });
  const total = (usage: object) => Object.values(usage).reduce((sum, bytes) => sum + bytes, 0);
  const onDisk = () =>
    names.reduce(
      (sum, name) => sum + (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  const long = "x".repeat(500_000);
  await store.conversations.create(conversation());
  await store.messages.append("c1", [
    message("q", null, { message: { role: "user", parts: [{ type: "text", text: long }] } }),
  ]);
  await store.runs.create(run("r1", { status: "completed" }));
  await store.shares.create(share("s1", { title: long.slice(0, 200_000) }));
  await store.log.append("r1", events(1, 5_000), true);
  await store.close();
  const again = await openStore({ dataDir });
  const usage = await again.usage();
  expect(total(usage)).toBe(onDisk());
  expect(usage.conversations).toBeGreaterThan(500_000);
  expect(usage.conversations).toBeLessThan(700_000);
  expect(usage.shares).toBeGreaterThan(200_000);
  expect(usage.runs).toBeGreaterThan(5_000 * 30);
  const [one, other] = [again.usage(), again.usage()];
  expect(one).toBe(other);
  await one;
  await again.conversations.delete("c1");
  await again.close();
});
