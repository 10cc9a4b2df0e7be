import { expect, onTestFinished, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import type { HttpError } from "@/lib/server/http/errors";
import { localUser, newId } from "@/lib/server/ids";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import { stopRun } from "@/lib/server/runs/stop-run";
import {
  openWorld,
  type Process,
  restart,
  type Script,
  startProcess,
  type World,
} from "@/lib/server/testing/world";
import { StoreError } from "@/lib/store/errors";
import type { ScheduleRow } from "@/lib/store/schedule-ports";
import { Scheduler } from "./scheduler";
import { runSchedule } from "./schedules";

/** Of tests: it stands where it is put. */
interface Clock {
  at: number;
}

const clockAt = (time: string): Clock => ({ at: Date.parse(time) });
const done = [text("Done."), stop("end_turn")];
const works = [call("a", "desk__work"), stop("tool_use")];

function scheduler(app: Process, clock: Clock, AUTH: "local" | "accounts" = "local"): Scheduler {
  const made = new Scheduler(
    () => ({ ...app, env: { ...app.env, AUTH } }),
    () => clock.at,
  );
  // One that was killed never hears from its store again.
  onTestFinished(async () => (app.store.isDead ? undefined : made.close()));
  return made;
}

async function add({ store }: World, fields: Partial<ScheduleRow> & { next: string }): Promise<string> {
  const { next, ...rest } = fields;
  const row: ScheduleRow = {
    ...{ id: newId(), userId: localUser, tokenHash: null },
    errand: { name: "Numbers", text: "Count them.", budget: { tokens: 1_000 } },
    timing: { cron: "0 9 * * *", timeZone: "UTC", missed: "skip" },
    ...{ nextAt: Date.parse(next), lastRunId: null, note: null, createdAt: 1 },
    ...rest,
  };
  expect(await store.schedules.add(row, 50)).toBe(true);
  return row.id;
}

async function open(...script: Script): Promise<{ world: World; app: Process }> {
  const world = await openWorld(script);
  return { world, app: startProcess(world) };
}

const read = async ({ store }: World, id: string) => {
  const row = await store.schedules.get(localUser, "schedule", id);
  if (!row) throw new Error("There is no such schedule.");
  return { ...row, next: row.nextAt === null ? null : new Date(row.nextAt).toISOString() };
};

const runsOf = async ({ store }: World, id: string) =>
  (await store.runs.list(localUser, { limit: 50, schedule: id })).items;

const endOf = async (app: Process) => {
  await Promise.all(app.runs.all().map((run) => run.ended));
};

test("a time that has come is asked once, in a conversation of that name, and the next one follows", async () => {
  const { world, app } = await open(done);
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  const clock = clockAt("2026-11-30T08:59:59Z");
  const made = scheduler(app, clock);
  await made.wake();
  expect(await runsOf(world, id)).toEqual([]);
  clock.at += 1_000;
  await made.wake();
  await made.wake();
  await endOf(app);
  const [run, ...more] = await runsOf(world, id);
  expect(more).toEqual([]);
  expect(run).toMatchObject({ status: "completed", options: { budget: { tokens: 1_000 } } });
  expect(run?.options.startedBy).toEqual({ kind: "schedule", id, name: "Numbers" });
  expect(await read(world, id)).toMatchObject({
    ...{ next: "2026-12-01T09:00:00.000Z", lastRunId: run?.id, note: null },
  });
  const listed = await world.store.conversations.list(localUser, { limit: 10, archived: false });
  expect(listed.items.map(({ title }) => title)).toEqual(["Numbers"]);
  expect((await world.store.search.messages(localUser, "count", { limit: 5 })).items).toHaveLength(1);
  expect(made.counts.asked).toBe(1);
});

test("what was missed is left out or asked once, late, however many times it was", async () => {
  const { world, app } = await open(done);
  const skips = await add(world, { next: "2026-11-28T09:00:00Z" });
  const once = await add(world, {
    next: "2026-11-28T09:00:00Z",
    timing: { cron: "0 * * * *", timeZone: "UTC", missed: "once" },
  });
  const made = scheduler(app, clockAt("2026-11-30T10:30:00Z"));
  await made.wake();
  await endOf(app);
  expect(await runsOf(world, skips)).toEqual([]);
  expect(await read(world, skips)).toMatchObject({
    next: "2026-12-01T09:00:00.000Z",
    note: { code: "missed", at: Date.parse("2026-11-28T09:00:00Z") },
  });
  expect(await runsOf(world, once)).toHaveLength(1);
  expect(await read(world, once)).toMatchObject({
    next: "2026-11-30T11:00:00.000Z",
    note: { code: "late", at: Date.parse("2026-11-28T09:00:00Z") },
  });
  expect(made.counts).toMatchObject({ late: 1, missed: 1, asked: 0 });
});

test("those that do not go on keep none from being asked that stand behind them", async () => {
  const { world, app } = await open(done);
  const timing = { cron: "as it was", timeZone: "UTC", missed: "skip" } as const;
  for (let count = 0; count < 50; count++)
    await add(world, { next: "2026-11-30T08:59:00Z", userId: "ann", timing });
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  await scheduler(app, clockAt("2026-11-30T09:00:00Z")).wake();
  await endOf(app);
  expect(await runsOf(world, id)).toHaveLength(1);
});

test("a clock that is set back asks nothing twice, and one that is set forward leaves out what it jumps over", async () => {
  const { world, app } = await open(done, done);
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  const clock = clockAt("2026-11-30T09:00:01Z");
  const made = scheduler(app, clock);
  await made.wake();
  await endOf(app);
  clock.at = Date.parse("2026-11-30T08:30:00Z");
  await made.wake();
  clock.at = Date.parse("2026-11-30T09:00:30Z");
  await made.wake();
  expect(await runsOf(world, id)).toHaveLength(1);
  clock.at = Date.parse("2026-12-03T12:00:00Z");
  await made.wake();
  expect(await runsOf(world, id)).toHaveLength(1);
  expect(await read(world, id)).toMatchObject({ next: "2026-12-04T09:00:00.000Z", note: { code: "missed" } });
});

test("while the last run waits, or goes on, the time is left out and it is said why", async () => {
  const { world, app } = await open(works, [new Promise(() => {})]);
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  const clock = clockAt("2026-11-30T09:00:00Z");
  const made = scheduler(app, clock);
  await made.wake();
  await endOf(app);
  const [waiting] = await runsOf(world, id);
  expect(waiting?.status).toBe("waiting");
  clock.at = Date.parse("2026-12-01T09:00:00Z");
  await made.wake();
  expect(await runsOf(world, id)).toHaveLength(1);
  expect(await read(world, id)).toMatchObject({
    ...{ next: "2026-12-02T09:00:00.000Z", lastRunId: waiting?.id },
    note: { code: "waiting", at: clock.at },
  });
  if (waiting) await stopRun(app, waiting);
  clock.at = Date.parse("2026-12-02T09:00:00Z");
  await made.wake();
  expect(await read(world, id)).toMatchObject({ note: null });
  clock.at = Date.parse("2026-12-03T09:00:00Z");
  await made.wake();
  expect(await read(world, id)).toMatchObject({ note: { code: "running", at: clock.at } });
  expect(await runsOf(world, id)).toHaveLength(2);
  const [running] = await runsOf(world, id);
  if (running) await stopRun(app, running);
});

test("a process that dies before the run is stored has asked nothing: the next start does", async () => {
  const { world, app } = await open(done);
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  const clock = clockAt("2026-11-30T09:00:00Z");
  const held = app.store.hold("runs.begin");
  void scheduler(app, clock).wake();
  await held.reached;
  const next = await restart({ ...app, world });
  held.release();
  clock.at += 20_000;
  await scheduler(next, clock).wake();
  await endOf(next);
  expect(await runsOf(world, id)).toHaveLength(1);
  expect(await read(world, id)).toMatchObject({ next: "2026-12-01T09:00:00.000Z", note: null });
});

test("of two processes that both see that it is due one asks", async () => {
  const { world, app: one } = await open(done);
  const other = startProcess(world);
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  const clock = clockAt("2026-11-30T09:00:00Z");
  const held = [one, other].map(({ store }) => store.hold("runs.begin"));
  const both = [one, other].map((app) => scheduler(app, clock));
  const passes = both.map((made) => made.wake());
  await Promise.all(held.map(({ reached }) => reached));
  for (const { release } of held) release();
  await Promise.all(passes);
  await endOf(one);
  await endOf(other);
  expect(await runsOf(world, id)).toHaveLength(1);
  expect(both.map(({ counts }) => counts.asked).toSorted()).toEqual([0, 1]);
  expect((await world.store.conversations.list(localUser, { limit: 9, archived: false })).items).toHaveLength(
    1,
  );
  expect([...one.faults, ...other.faults]).toEqual([]);
});

test("a time that comes while its person asks now begins no second run", async () => {
  const { world, app: one } = await open(done);
  const other = startProcess(world);
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  const held = [one, other].map(({ store }) => store.hold("runs.begin"));
  const pass = scheduler(one, clockAt("2026-11-30T09:00:00Z")).wake();
  const env = { ...other.env, AUTH: "local" as const };
  const asked = runSchedule({ ...other, env, scheduler: { wake: async () => {} } }, localUser, id).catch(
    (cause: HttpError) => cause.code,
  );
  await Promise.all(held.map(({ reached }) => reached));
  for (const { release } of held) release();
  const said = await asked;
  await pass;
  await endOf(one);
  await endOf(other);
  const [run, ...more] = await runsOf(world, id);
  expect(more).toEqual([]);
  expect([{ runId: run?.id, conversationId: run?.conversationId }, "run_active"]).toContainEqual(said);
});

test("one that is turned off or deleted in that moment asks nothing", async () => {
  const { world, app } = await open();
  for (const end of [
    (id: string) =>
      world.store.schedules.update(localUser, "schedule", id, (before) => ({ ...before, nextAt: null })),
    (id: string) => world.store.schedules.delete(localUser, "schedule", id),
  ]) {
    const id = await add(world, { next: "2026-11-30T09:00:00Z" });
    const held = app.store.hold("runs.begin");
    const pass = scheduler(app, clockAt("2026-11-30T09:00:00Z")).wake();
    await held.reached;
    await end(id);
    held.release();
    await pass;
    expect(await runsOf(world, id)).toEqual([]);
  }
  expect(app.faults).toEqual([]);
});

test("what is refused is told, and does not keep others from being asked", async () => {
  const { world, app } = await open(done);
  const errand = { name: "Numbers", text: "Count.", budget: { tokens: 9 } };
  const gone = await add(world, {
    next: "2026-11-30T08:59:00Z",
    errand: { ...errand, assistant: newId() },
  });
  const good = await add(world, { next: "2026-11-30T09:00:00Z" });
  const made = scheduler(app, clockAt("2026-11-30T09:00:00Z"));
  await made.wake();
  await endOf(app);
  expect(await read(world, gone)).toMatchObject({
    ...{ next: "2026-12-01T09:00:00.000Z", lastRunId: null },
    note: { code: "refused", message: expect.stringContaining("no such assistant") },
  });
  expect(await runsOf(world, good)).toHaveLength(1);
});

test("who was disabled or deleted is not asked for, and nothing is made up for later", async () => {
  const { world, app } = await open();
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  await scheduler(app, clockAt("2026-11-30T09:00:00Z"), "accounts").wake();
  expect(await runsOf(world, id)).toEqual([]);
  expect(await read(world, id)).toMatchObject({ next: "2026-12-01T09:00:00.000Z", note: null });
});

test("while the store takes nothing it stays due, and is asked afterwards", async () => {
  const { world, app } = await open(done);
  const id = await add(world, { next: "2026-11-30T09:00:00Z" });
  const made = scheduler(app, clockAt("2026-11-30T09:00:10Z"));
  app.store.failing("runs.begin", new StoreError("io", "The disk is away."));
  await made.wake();
  expect(await read(world, id)).toMatchObject({ next: "2026-11-30T09:00:00.000Z" });
  app.store.failing("runs.begin", undefined);
  await made.wake();
  await endOf(app);
  expect(await runsOf(world, id)).toHaveLength(1);
});

test("who has as much under way as they may leave others their turn", async () => {
  const { world, app } = await open(done);
  const first = await add(world, { next: "2026-11-30T08:59:00Z" });
  const second = await add(world, { next: "2026-11-30T09:00:00Z", userId: localUser });
  const made = scheduler(app, clockAt("2026-11-30T09:00:00Z"));
  const { runs } = app;
  app.runs = new LiveRuns(
    10,
    () => {},
    async () => 0,
  );
  await made.wake();
  expect(await read(world, first)).toMatchObject({ next: "2026-11-30T08:59:00.000Z" });
  app.runs = runs;
  await world.store.schedules.delete(localUser, "schedule", second);
  await made.wake();
  await endOf(app);
  expect(await runsOf(world, first)).toHaveLength(1);
});
