import { expect, test } from "vitest";
import type { LiveRun } from "./live-run";
import { LiveRuns } from "./live-runs";

const live = (id: string, userId: string) =>
  ({ row: { id, userId, continues: null }, ended: new Promise(() => {}) }) as unknown as LiveRun;

test("a run that has begun has one place, while the disk is still waited for too", async () => {
  const runs = new LiveRuns(2);
  const disk = Promise.withResolvers<void>();
  const begin = (id: string, userId?: string) =>
    runs.admit(async () => {
      runs.add(live(id, userId ?? "ann"));
      await disk.promise;
    }, userId);
  const first = begin("r1", "ann");
  await expect.poll(() => runs.count).toBe(1);
  // One that goes on belongs to nobody until it has begun.
  const second = begin("r2");
  await expect.poll(() => runs.count).toBe(2);
  await expect(begin("r3", "ben")).rejects.toMatchObject({ status: 503 });
  disk.resolve();
  await Promise.all([first, second]);
  expect(runs.count).toBe(2);
});
