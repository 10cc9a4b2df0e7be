import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "@/lib/protocol/http";
import type { Schedule } from "@/lib/protocol/schedules";
import { apiOf } from "../support/api";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/server-test";

test("what came due while Meguri was stopped is asked once at the next start, or left out, as it says", async ({
  start,
}) => {
  const app = await start(noServers);
  const api = apiOf(app);
  const fields = { text: "count to 2", budget: { tokens: 100_000 }, cron: "0 0 1 1 *" };
  for (const missed of ["once", "skip"] as const)
    await api.post("/api/schedules", { ...fields, name: missed, missed });
  await app.stop();
  const db = new DatabaseSync(join(app.dataDir, "meguri.db"));
  db.prepare("update schedule set next_at = ?").run(Date.now() - 24 * 3_600_000);
  db.close();
  await app.restart();
  const read = async () => (await api.get<Page<Schedule>>("/api/schedules")).items;
  await expect
    .poll(async () => (await read()).map(({ lastRun }) => lastRun?.status))
    .toEqual(["completed", undefined]);
  const [once, skip] = await read();
  expect([once?.note?.code, skip?.note?.code]).toEqual(["late", "missed"]);
  for (const { nextRunAt } of await read()) expect(Date.parse(nextRunAt ?? "")).toBeGreaterThan(Date.now());
  await app.kill9();
  await app.restart();
  const { items } = await api.get<Page<{ id: string }>>(`/api/runs?schedule=${once?.id}`);
  expect(items.map(({ id }) => id)).toEqual([once?.lastRunId]);
});
