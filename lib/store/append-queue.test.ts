import { expect, test } from "vitest";
import { maxWaiting, openAppendQueue } from "./append-queue";
import { StoreError } from "./errors";
import type { EventRecord } from "./prepare-inserts";

const record = (run: string, seq: number): EventRecord => ({ run_id: run, seq, at: 0, data: "{}" });
const name = ({ run_id: run, seq }: EventRecord) => `${run}:${seq}`;

/** A queue whose commits and their outcomes are written down; a commit with a record of run `broken` is refused. */
function openRecorded(broken?: string) {
  const commits: string[] = [];
  const outcomes: string[] = [];
  const queue = openAppendQueue(async (records) => {
    commits.push(records.map(name).join(" "));
    await new Promise(setImmediate);
    if (records.some(({ run_id: run }) => run === broken)) throw new StoreError("duplicate", "broken");
  });
  const add = (...records: EventRecord[]) =>
    queue.add(records).then(
      () => outcomes.push(`${records.map(name).join(" ")} stored`),
      (cause: Error) => outcomes.push(`${records.map(name).join(" ")} ${cause.message}`),
    );
  return { commits, outcomes, queue, add };
}

test("appends of one turn are one commit in the order in which they came, those of the next another", async () => {
  const { commits, outcomes, add } = openRecorded();
  const first = [add(record("b", 1)), add(record("a", 1), record("a", 2)), add(record("b", 2))];
  expect(commits).toEqual([]);
  await Promise.all(first);
  expect(outcomes).toEqual(["b:1 stored", "a:1 a:2 stored", "b:2 stored"]);
  await Promise.all([add(record("a", 3)), add(record("b", 3))]);
  expect(commits).toEqual(["b:1 a:1 a:2 b:2", "a:3 b:3"]);
});

test("nothing is said to be stored before its commit has ended", async () => {
  const commit = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const queue = openAppendQueue(() => {
    begun.resolve();
    return commit.promise;
  });
  let stored = false;
  const added = queue.add([record("a", 1)]).then(() => {
    stored = true;
  });
  await begun.promise;
  await new Promise(setImmediate);
  expect(stored).toBe(false);
  commit.resolve();
  await added;
  expect(stored).toBe(true);
});

test("a refused commit is done append by append, and only the broken one fails", async () => {
  const { commits, outcomes, add } = openRecorded("b");
  await Promise.all([add(record("a", 1)), add(record("b", 1)), add(record("c", 1))]);
  await add(record("b", 2));
  expect(commits).toEqual(["a:1 b:1 c:1", "a:1", "b:1", "c:1", "b:2"]);
  expect(outcomes).toEqual(["a:1 stored", "b:1 broken", "c:1 stored", "b:2 broken"]);
});

test("work comes after all that was added before it, also append by append, and before what is added later", async () => {
  const { commits, queue, add } = openRecorded("b");
  const before = [add(record("a", 1)), add(record("b", 1))];
  const work = queue.after(async () => {
    commits.push("work begins");
    await new Promise(setImmediate);
    commits.push("work ends");
  });
  await Promise.all([...before, work, add(record("a", 2))]);
  expect(commits).toEqual(["a:1 b:1", "a:1", "b:1", "work begins", "work ends", "a:2"]);
});

test("work that fails says so and holds nothing up", async () => {
  const { commits, queue, add } = openRecorded();
  const work = queue.after(() => Promise.reject(new Error("no disk")));
  await Promise.all([expect(work).rejects.toThrow("no disk"), add(record("a", 1))]);
  expect(commits).toEqual(["a:1"]);
});

test("an append that comes when too many wait is refused, and taken again when they are stored", async () => {
  const { queue } = openRecorded();
  const many = Array.from({ length: maxWaiting }, (_, index) => record("a", index + 1));
  const stored = queue.add(many);
  await expect(queue.add([record("b", 1)])).rejects.toMatchObject({ code: "busy" });
  await stored;
  await queue.add([record("b", 1)]);
});

test("appends that failed leave their room to others", async () => {
  const { outcomes, queue, add } = openRecorded("b");
  const many = Array.from({ length: maxWaiting }, (_, index) => record("b", index + 1));
  for (let round = 0; round < 3; round++) await expect(queue.add(many)).rejects.toThrow("broken");
  await add(record("a", 1));
  expect(outcomes).toEqual(["a:1 stored"]);
});
