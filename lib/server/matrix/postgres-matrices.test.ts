import { expect, onTestFinished, test, vi } from "vitest";
import { stop, text } from "@/lib/agent/testing/scripted";
import { openBeside } from "@/lib/server/testing/open-beside";
import { ask as askModel, ended, user } from "@/lib/server/testing/run-kit";
import type { Process } from "@/lib/server/testing/world";
import type { MatrixRow } from "@/lib/store/kept-types";
import { ask } from "@/lib/store/testing/postgres-server";
import { Matrices } from "./matrices";

const againMs = 30;
const words = [text("So it is."), stop("end_turn")];

/** What goes on with matrices in a process, as at its start. */
function drive(deps: Process): Matrices {
  const matrices = new Matrices(() => deps, againMs);
  deps.sharedBudget = (id) => matrices.sharedBudget(id);
  onTestFinished(() => matrices.close());
  return matrices;
}

/** A matrix of so many cells of one recording. */
async function matrixOf(deps: Process, cells: number): Promise<MatrixRow> {
  const { id: runId } = await ended(deps, await askModel(deps));
  const row: MatrixRow = {
    ...{ id: "m", userId: user, tape: "strict", budget: { tokens: 1_000_000 }, goesUnpriced: true },
    ...{ state: "open", createdAt: Date.now() },
    cells: Array.from({ length: cells }, (_, at) => ({
      ...{ runId, model: `scripted/${at}`, result: null, error: null },
    })),
  };
  expect(await deps.store.matrices.add(row, { open: 10, kept: 10 })).toBe(true);
  return row;
}

const begun = async ({ store }: Process) =>
  (await store.matrices.find("m"))?.cells.flatMap(({ result }) => result ?? []) ?? [];
const looks = (deps: Process) => deps.store.count("runs.many");

test("of two processes one begins the cells of a matrix, and no more of them at once than one may", async () => {
  const gate = Promise.withResolvers<void>();
  const held = Array.from({ length: 6 }, () => [gate.promise, ...words]);
  const { one, other } = await openBeside(words, ...held);
  await matrixOf(one, 6);
  await Promise.all([drive(one).start(), drive(other).start()]);
  await expect.poll(() => begun(one)).toHaveLength(4);
  // Whoever has it looks again and again.
  const before = looks(one) + looks(other);
  await expect.poll(() => looks(one) + looks(other)).toBeGreaterThan(before + 5);
  expect([one.runs.count, other.runs.count].toSorted()).toEqual([0, 4]);
  gate.resolve();
  await expect.poll(async () => (await one.store.matrices.find("m"))?.state).toBe("ended");
  expect(new Set(await begun(one)).size).toBe(6);
  // The recording was made at the first.
  const cells = [one.store.count("runs.begin") - 1, other.store.count("runs.begin")];
  expect(cells.toSorted()).toEqual([0, 6]);
});

test("when the process that has it is gone another one begins what is left, and no cell twice", async () => {
  vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  const held = Array.from({ length: 4 }, () => [gate.promise, ...words]);
  const { url, one, other } = await openBeside(words, ...held, words, words);
  await matrixOf(one, 6);
  await drive(one).start();
  await expect.poll(() => begun(one)).toHaveLength(4);
  await drive(other).start();
  const first = await begun(one);
  await ask(url, `delete from instance where id = '${one.store.members.id}'`);
  await expect.poll(() => begun(other)).toHaveLength(6);
  expect((await begun(other)).slice(0, 4)).toEqual(first);
  expect(other.store.count("runs.begin")).toBe(2);
});

test("a budget that is raised at one process counts in another one that has the matrix", async () => {
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  const { one, other } = await openBeside(words, [gate.promise, ...words]);
  const row = await matrixOf(one, 1);
  const [driver, beside] = [drive(one), drive(other)];
  await driver.start();
  await expect.poll(() => one.runs.count).toBe(1);
  const shared = await driver.countedHere(row.id);
  expect(shared?.budget).toEqual(row.budget);
  // Who does not count it says nothing of it.
  await beside.start();
  expect(await beside.countedHere(row.id)).toBeUndefined();
  await other.store.matrices.setBudget(row.id, { tokens: 5_000_000 });
  await expect.poll(() => shared?.budget).toEqual({ tokens: 5_000_000 });
});
