import { expect, test } from "vitest";
import { maxWaiting, openAppendQueue } from "./append-queue";
import type { Append, Engine, LogWriter } from "./engine";
import { StoreError } from "./errors";
import type { LogSource } from "./ports";
import { events } from "./testing/rows";

const name = ({ runId, ranges }: Append) => ranges.map(({ first, last }) => `${runId}:${first}-${last}`);

/** A queue whose commits and their outcomes are written down; a commit with events of run `broken` is refused. */
function openRecorded(broken?: string) {
  const commits: string[] = [];
  const outcomes: string[] = [];
  const write: Engine["write"] = async (work, durable) => {
    let isBroken = false;
    const insert: LogWriter["insert"] = (appends) => {
      commits.push(`${durable ? "durable " : ""}${appends.flatMap(name).join(" ")}`);
      isBroken = appends.some(({ runId }) => runId === broken);
    };
    work({
      insert,
      settle: () => {},
      delete: () => {},
      trim: () => false,
      replace: () => {},
    });
    await new Promise(setImmediate);
    if (isBroken) throw new StoreError("duplicate", "broken");
  };
  const queue = openAppendQueue(write);
  const add = (runId: string, from: number, to = from, durable = false) =>
    queue.append(runId, events(from, to), durable).then(
      () => outcomes.push(`${runId}:${from}-${to} stored`),
      (cause: Error) => outcomes.push(`${runId}:${from}-${to} ${cause.message}`),
    );
  /** One that writes again and again; `events` are what it has. */
  const source = (runId: string): LogSource & { events: ReturnType<typeof events> } => ({
    runId,
    events: [],
    take() {
      return this.events.splice(0);
    },
    stored: () => outcomes.push(`${runId} stored`),
    failed: (cause) => outcomes.push(`${runId} ${(cause as Error).message}`),
  });
  return { commits, outcomes, queue, add, source };
}

test("appends of one turn are one commit in the order in which they came, those of the next another", async () => {
  const { commits, outcomes, add } = openRecorded();
  const first = [add("b", 1), add("a", 1, 2), add("b", 2)];
  expect(commits).toEqual([]);
  await Promise.all(first);
  expect(outcomes).toEqual(["b:1-1 stored", "a:1-2 stored", "b:2-2 stored"]);
  await Promise.all([add("a", 3), add("b", 3)]);
  expect(commits).toEqual(["b:1-1 a:1-2 b:2-2", "a:3-3 b:3-3"]);
});

test("nothing is said to be stored before its commit has ended", async () => {
  const commit = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const queue = openAppendQueue(() => {
    begun.resolve();
    return commit.promise;
  });
  let stored = false;
  const added = queue.append("a", events(1, 1), false).then(() => {
    stored = true;
  });
  await begun.promise;
  await new Promise(setImmediate);
  expect(stored).toBe(false);
  commit.resolve();
  await added;
  expect(stored).toBe(true);
});

test("what comes while a commit is under way is one commit, in whatever turns it came", async () => {
  const first = Promise.withResolvers<void>();
  const commits: string[] = [];
  const queue = openAppendQueue(async (work) => {
    const insert: LogWriter["insert"] = (appends) => void commits.push(appends.flatMap(name).join(" "));
    work({ insert, settle: () => {}, delete: () => {}, trim: () => false, replace: () => {} });
    await first.promise;
  });
  const appends = [queue.append("a", events(1, 1), false)];
  const later: Promise<unknown>[] = [];
  for (let seq = 2; seq <= 5; seq++) {
    await new Promise(setImmediate);
    for (const run of ["a", "b"]) appends.push(queue.append(run, events(seq, seq), seq === 5));
    if (seq === 3) later.push(queue.after(async () => void commits.push("work")));
  }
  first.resolve();
  await Promise.all([...appends, ...later]);
  expect(commits).toEqual(["a:1-1", "a:2-2 b:2-2 a:3-3 b:3-3", "work", "a:4-4 b:4-4 a:5-5 b:5-5"]);
});

test("a refused commit is done append by append, and only the broken one fails", async () => {
  const { commits, outcomes, add } = openRecorded("b");
  await Promise.all([add("a", 1), add("b", 1), add("c", 1)]);
  await add("b", 2);
  expect(commits).toEqual(["a:1-1 b:1-1 c:1-1", "a:1-1", "b:1-1", "c:1-1", "b:2-2"]);
  expect(outcomes).toEqual(["a:1-1 stored", "b:1-1 broken", "c:1-1 stored", "b:2-2 broken"]);
});

test("work comes after all that was added before it, also append by append, and before what is added later", async () => {
  const { commits, queue, add } = openRecorded("b");
  const before = [add("a", 1), add("b", 1)];
  const work = queue.after(async () => {
    commits.push("work begins");
    await new Promise(setImmediate);
    commits.push("work ends");
  });
  await Promise.all([...before, work, add("a", 2)]);
  expect(commits).toEqual(["a:1-1 b:1-1", "a:1-1", "b:1-1", "work begins", "work ends", "a:2-2"]);
});

test("work that fails says so and holds nothing up", async () => {
  const { commits, queue, add } = openRecorded();
  const work = queue.after(() => Promise.reject(new Error("no disk")));
  await Promise.all([expect(work).rejects.toThrow("no disk"), add("a", 1)]);
  expect(commits).toEqual(["a:1-1"]);
});

test("an append that comes when too many wait is refused, and taken again when they are stored", async () => {
  const { queue } = openRecorded();
  const stored = queue.append("a", events(1, maxWaiting), false);
  await expect(queue.append("b", events(1, 1), false)).rejects.toMatchObject({ code: "busy" });
  await stored;
  await queue.append("b", events(1, 1), false);
});

test("appends that failed leave their room to others", async () => {
  const { outcomes, queue, add } = openRecorded("b");
  for (let round = 0; round < 3; round++)
    await expect(queue.append("b", events(1, maxWaiting), false)).rejects.toThrow("broken");
  await add("a", 1);
  expect(outcomes).toEqual(["a:1-1 stored"]);
});

test("one durable append makes the commit of its turn durable, and none after it", async () => {
  const { commits, add } = openRecorded();
  await Promise.all([add("a", 1), add("b", 1, 1, true), add("c", 1)]);
  await add("a", 2);
  expect(commits).toEqual(["durable a:1-1 b:1-1 c:1-1", "a:2-2"]);
});

test("a source gives all that it has when the commit begins, as one row", async () => {
  const { commits, outcomes, queue, source } = openRecorded();
  const run = source("a");
  run.events.push(...events(1, 1));
  queue.request(run, "now");
  run.events.push(...events(2, 5));
  queue.request(run, "now");
  await expect.poll(() => outcomes).toEqual(["a stored"]);
  expect(commits).toEqual(["a:1-5"]);
});

test("what a source asks for as durable while its commit waits for another is durable with it", async () => {
  const { commits, outcomes, queue, source } = openRecorded();
  const work = Promise.withResolvers<void>();
  const run = source("a");
  run.events.push(...events(1, 1));
  queue.request(run, "now");
  const busy = queue.after(() => work.promise);
  await expect.poll(() => outcomes).toEqual(["a stored"]);
  run.events.push(...events(2, 2));
  queue.request(run, "now");
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  run.events.push(...events(3, 3));
  queue.request(run, "durable");
  work.resolve();
  await busy;
  await expect.poll(() => outcomes).toEqual(["a stored", "a stored"]);
  expect(commits).toEqual(["a:1-1", "durable a:2-3"]);
});

test("commits that nobody waits for come at once while they are few, then together", async () => {
  const { commits, outcomes, queue, source } = openRecorded();
  const run = source("a");
  const count = 200;
  for (let seq = 1; seq <= count; seq++) {
    run.events.push(...events(seq, seq));
    queue.request(run, "soon");
    await new Promise(setImmediate);
  }
  await expect.poll(() => commits.at(-1)).toMatch(/-200$/);
  expect(commits[0]).toBe("a:1-1");
  expect(commits.length).toBeLessThan(count / 2);
  // The last commit is under way when it is seen.
  await expect.poll(() => outcomes.length).toBe(commits.length);
});
