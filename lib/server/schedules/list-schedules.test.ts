import { expect, test } from "vitest";
import { stop, text } from "@/lib/agent/testing/scripted";
import { localUser, newId } from "@/lib/server/ids";
import { openWorld, startProcess } from "@/lib/server/testing/world";
import { tempDir } from "@/lib/store/testing/temp-store";
import { listSchedules, runSchedule } from "./schedules";

test("the last runs of a list of schedules are read by two statements, however many there are", async () => {
  const counted: string[] = [];
  const done = [text("Done."), stop("end_turn")];
  const onStatement = (sql: string) => void counted.push(sql);
  const world = await openWorld([done, done, done, done], tempDir(), { onStatement });
  const process = startProcess(world);
  const deps = {
    ...process,
    env: { ...process.env, AUTH: "local" as const },
    scheduler: { wake: async () => {} },
  };
  const counts: number[] = [];
  for (let made = 1; made <= 4; made++) {
    const id = newId();
    await world.store.schedules.add(
      {
        ...{ id, userId: localUser, tokenHash: null, nextAt: null, lastRunId: null, note: null },
        errand: { name: "Numbers", text: "Count them.", budget: { tokens: 1_000 } },
        timing: { cron: "0 9 * * *", timeZone: "UTC", missed: "skip" },
        createdAt: made,
      },
      50,
    );
    await runSchedule(deps, localUser, id);
    await Promise.all(process.runs.all().map((run) => run.ended));
    counted.length = 0;
    const { items } = await listSchedules(deps, localUser);
    expect(items.map(({ lastRun }) => lastRun?.status)).toEqual(Array(made).fill("completed"));
    // What goes on after an end asks for other things.
    counts.push(counted.filter((sql) => sql.startsWith('select * from "run"')).length);
  }
  expect(counts).toEqual([2, 2, 2, 2]);
});
