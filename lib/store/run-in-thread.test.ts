import { expect, test } from "vitest";
import { runInThread } from "./run-in-thread";
import { toStoreError } from "./sqlite-fault";

const threads = `const { parentPort, workerData } = require("node:worker_threads");`;

test("a program finds its data and gives what it posts", async () => {
  expect(
    await runInThread(`${threads} parentPort.postMessage(workerData.map((n) => n + 1))`, [1, 2]),
  ).toEqual([2, 3]);
});

test("what SQLite says in a thread is told as what it says here", async () => {
  const program = `const { DatabaseSync } = require("node:sqlite");
    const db = new DatabaseSync(":memory:");
    db.exec("create table a (b integer primary key); insert into a values (1); insert into a values (1)");`;
  const cause = await runInThread(program, null).catch((error: unknown) => error);
  expect(toStoreError(cause, "a file")).toMatchObject({ name: "StoreError", code: "duplicate" });
});

test("a thread that ends or is given up gives no result", async () => {
  await expect(runInThread("", null)).rejects.toThrow("without a result");
  const forever = "setInterval(() => {}, 1000)";
  await expect(runInThread(forever, null, AbortSignal.timeout(50))).rejects.toMatchObject({
    name: "AbortError",
  });
});
