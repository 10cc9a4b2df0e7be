import { expect, onTestFinished, test } from "vitest";
import { stop, text } from "@/lib/agent/testing/scripted";
import { localUser, newId } from "@/lib/server/ids";
import { hash } from "@/lib/server/secrets";
import { openApart } from "@/lib/server/testing/open-beside";
import { Scheduler } from "./scheduler";
import { callTrigger } from "./triggers";

test("of two instances on one database one asks what is due, whoever has added it", async () => {
  const { one, other } = await openApart([text("Done."), stop("end_turn")]);
  const now = Date.parse("2026-11-30T09:00:00Z");
  const id = newId();
  await one.store.schedules.add(
    {
      ...{ id, userId: localUser, tokenHash: null },
      errand: { name: "Numbers", text: "Count them.", budget: { tokens: 1_000 } },
      timing: { cron: "0 9 * * *", timeZone: "UTC", missed: "skip" },
      ...{ nextAt: now, lastRunId: null, note: null, createdAt: 1 },
    },
    50,
  );
  const held = [one, other].map(({ store }) => store.hold("runs.begin"));
  const both = [one, other].map((app) => {
    const made = new Scheduler(
      () => ({ ...app, env: { ...app.env, AUTH: "local" } }),
      () => now,
    );
    onTestFinished(() => made.close());
    return made;
  });
  const passes = both.map((made) => made.wake());
  await Promise.all(held.map(({ reached }) => reached));
  for (const { release } of held) release();
  await Promise.all(passes);
  for (const { runs } of [one, other]) await Promise.all(runs.all().map((run) => run.ended));
  expect((await other.store.runs.list(localUser, { limit: 9, schedule: id })).items).toHaveLength(1);
  expect(both.map(({ counts }) => counts.asked).toSorted()).toEqual([0, 1]);
  expect(await other.store.schedules.soonest()).toBe(Date.parse("2026-12-01T09:00:00Z"));
});

test("of two instances that are called with the same key at once one asks, and both name its run", async () => {
  const { one, other } = await openApart([text("Done."), stop("end_turn")]);
  const id = newId();
  await one.store.schedules.add(
    {
      ...{ id, userId: localUser, tokenHash: hash("mgt_a"), timing: null },
      errand: { name: "A build failed", text: "Why did {{body.name}} fail?", budget: { tokens: 1_000 } },
      ...{ nextAt: null, lastRunId: null, note: null, createdAt: 1 },
    },
    50,
  );
  const held = [one, other].map(({ store }) => store.hold("runs.begin"));
  const answers = [one, other].map((app) =>
    callTrigger({ ...app, env: { ...app.env, AUTH: "local" } }, "mgt_a", {
      key: "k",
      body: { name: "main" },
    }),
  );
  await Promise.all(held.map(({ reached }) => reached));
  for (const { release } of held) release();
  const [first, second] = await Promise.all(answers);
  for (const { runs } of [one, other]) await Promise.all(runs.all().map((run) => run.ended));
  expect(first).toEqual(second);
  const { items } = await other.store.runs.list(localUser, { limit: 9, schedule: id });
  expect(items.map((run) => run.id)).toEqual([first?.runId]);
});
