import { expect, test } from "vitest";
import type { MatrixRow } from "./kept-types";
import { openStore } from "./open-store";
import { conversation, message, run } from "./testing/rows";
import { askStored, openTempStore, placeOf, tempDir } from "./testing/temp-store";

const matrix = (id: string, more: Partial<MatrixRow> = {}): MatrixRow => ({
  ...{ id, userId: "ann", tape: "ask", budget: { cost: 0.5 }, goesUnpriced: false, state: "open" },
  createdAt: 1,
  cells: [
    { runId: "r", model: "a/b", result: null, error: null },
    { runId: "r", model: "a/c", result: null, error: null },
  ],
  ...more,
});
const most = { open: 3, kept: 5 };

test("a matrix is read as it was added, by its owner", async () => {
  const { matrices } = await openTempStore();
  const row = matrix("m", { budget: { tokens: 7, cost: 0.1 }, goesUnpriced: true });
  expect(await matrices.add(row, most)).toBe(true);
  expect(await matrices.get("ann", "m")).toEqual(row);
  expect(await matrices.get("bob", "m")).toBeUndefined();
  expect(await matrices.find("m")).toEqual(row);
});

test("a recording knows its matrices, the newest first, of one's own alone", async () => {
  const { matrices } = await openTempStore();
  const cells = (...runIds: string[]) =>
    runIds.flatMap((runId) => ["a/b", "a/c"].map((model) => ({ runId, model, result: null, error: null })));
  await matrices.add(matrix("old", { cells: cells("r", "s"), state: "ended" }), most);
  await matrices.add(matrix("new", { cells: cells("s"), createdAt: 2 }), most);
  await matrices.add(matrix("hers", { userId: "bob", cells: cells("s"), createdAt: 3 }), most);
  const known = (ids: string[], count = 5) => matrices.ofRecording("ann", ids, count);
  expect(await known(["s"])).toEqual([
    { id: "new", createdAt: 2, models: 2, recordings: 1 },
    { id: "old", createdAt: 1, models: 2, recordings: 2 },
  ]);
  expect(await known(["s"], 1)).toMatchObject([{ id: "new" }]);
  expect(await known(["r", "unknown"])).toMatchObject([{ id: "old" }]);
  expect(await known(["unknown"])).toEqual([]);
});

test("as many as may are open; of those that have ended the oldest are deleted, of one's own alone", async () => {
  const { matrices } = await openTempStore();
  const ids = async (userId: string) =>
    (await matrices.inState(["open", "stopping", "stopped", "ended"]))
      .filter((row) => row.userId === userId)
      .map(({ id }) => id);
  await matrices.add(matrix("hers", { userId: "bob", state: "ended" }), most);
  for (const at of [1, 2, 3, 4, 5, 6])
    expect(await matrices.add(matrix(`e${at}`, { state: "ended", createdAt: at }), most)).toBe(true);
  expect(await ids("ann")).toEqual(["e2", "e3", "e4", "e5", "e6"]);
  for (const at of [7, 8, 9])
    expect(await matrices.add(matrix(`o${at}`, { createdAt: at }), most)).toBe(true);
  expect(await ids("ann")).toEqual(["e5", "e6", "o7", "o8", "o9"]);
  expect(await matrices.add(matrix("full", { createdAt: 10 }), most)).toBe(false);
  expect(await ids("bob")).toEqual(["hers"]);
});

test("a cell begins once, together with its run, and none of a matrix that was stopped", async () => {
  const { conversations, messages, matrices, runs } = await openTempStore();
  await conversations.create(conversation());
  await messages.append("c1", [message("q", null)]);
  await matrices.add(matrix("m"), most);
  const begin = (id: string, position: number) =>
    runs.begin(run(id, { status: "completed" }), { cell: { matrixId: "m", position } });
  await begin("one", 0);
  await expect(begin("two", 0)).rejects.toMatchObject({ code: "conflict" });
  expect(await runs.get("ann", "two")).toBeUndefined();
  await matrices.refuse("m", 0, { code: "late", message: "Too late." });
  expect(await matrices.setState("m", ["open"], "stopping")).toBe(true);
  await expect(begin("three", 1)).rejects.toMatchObject({ code: "conflict" });
  expect(await matrices.setState("m", ["open"], "stopping")).toBe(false);
  await matrices.refuse("m", 1, { code: "gone", message: "It is gone." });
  expect((await matrices.find("m"))?.cells).toMatchObject([
    { result: "one", error: null },
    { result: null, error: { code: "gone" } },
  ]);
});

test("a budget opens what has ended, and not what was stopped", async () => {
  const { matrices } = await openTempStore();
  await matrices.add(matrix("m", { state: "ended" }), most);
  expect(await matrices.setBudget("m", { tokens: 5 })).toBe(true);
  expect(await matrices.find("m")).toMatchObject({ budget: { tokens: 5 }, state: "open" });
  await matrices.setState("m", ["open"], "stopped");
  expect(await matrices.setBudget("m", { tokens: 6 })).toBe(false);
  expect(await matrices.find("m")).toMatchObject({ budget: { tokens: 5 }, state: "stopped" });
});

test("one that cannot be read is left out of lists and named, and refused by itself", async () => {
  const dataDir = tempDir();
  const first = await openStore(await placeOf(dataDir));
  for (const id of ["a", "b", "c"]) await first.matrices.add(matrix(id), most);
  await first.close();
  await askStored(dataDir, "records", "update matrix set budget = '{' where id = 'a'");
  await askStored(
    dataDir,
    "records",
    "update matrix_cell set error = '{' where matrix_id = 'b' and position = 1",
  );
  const told: string[] = [];
  const { matrices } = await openTempStore({ dataDir, onBrokenRow: ({ message: text }) => told.push(text) });
  expect((await matrices.inState(["open"])).map(({ id }) => id)).toEqual(["c"]);
  expect(told).toEqual([
    expect.stringMatching(/^The stored matrix a cannot be read/),
    expect.stringMatching(/^The stored cell 1 of matrix b cannot be read/),
  ]);
  await expect(matrices.find("a")).rejects.toMatchObject({ code: "broken_row" });
});
