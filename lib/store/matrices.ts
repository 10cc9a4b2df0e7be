import type { Kysely, Selectable, Transaction } from "kysely";
import { StoreError } from "./errors";
import type { Matrices } from "./kept-ports";
import type { MatrixCellRow, MatrixRow } from "./kept-types";
import type { DB } from "./schema";
import { CellError, MatrixBudget, readJson, writeJson } from "./stored-json";
import type { RunStart } from "./types";

/** In lists, a row that cannot be read is left out and handed to `onBrokenRow`. */
export function openMatrices(db: Kysely<DB>, onBrokenRow: (error: StoreError) => void): Matrices {
  const matrices = () => db.selectFrom("matrix").selectAll();
  const readOne = async (record: Selectable<DB["matrix"]> | undefined) => record && withCells(db, record);
  return {
    add: (row, most) => db.transaction().execute((trx) => add(trx, row, most)),
    get: async (userId, id) =>
      readOne(await matrices().where("id", "=", id).where("user_id", "=", userId).executeTakeFirst()),
    find: async (id) => readOne(await matrices().where("id", "=", id).executeTakeFirst()),
    ofRecording: (userId, runIds, most) =>
      db
        .selectFrom("matrix")
        .innerJoin("matrix_cell", "matrix_cell.matrix_id", "matrix.id")
        .select(["matrix.id", "matrix.created_at as createdAt"])
        .select(({ fn }) => [
          fn.count<number>("matrix_cell.model").distinct().as("models"),
          fn.count<number>("matrix_cell.run_id").distinct().as("recordings"),
        ])
        .where("matrix.user_id", "=", userId)
        .groupBy(["matrix.id", "matrix.created_at"])
        .having(({ fn, eb }) =>
          eb(fn.max(eb.case().when("matrix_cell.run_id", "in", runIds).then(1).else(0).end()), "=", 1),
        )
        .orderBy("matrix.created_at", "desc")
        .orderBy("matrix.id", "desc")
        .limit(most)
        .execute(),
    async inState(states) {
      const rows: MatrixRow[] = [];
      const found = matrices().where("state", "in", states).orderBy("created_at").orderBy("id");
      for (const record of await found.execute())
        try {
          rows.push(await withCells(db, record));
        } catch (cause) {
          if (!(cause instanceof StoreError) || cause.code !== "broken_row") throw cause;
          onBrokenRow(cause);
        }
      return rows;
    },
    async idsInState(states) {
      const rows = await db.selectFrom("matrix").select("id").where("state", "in", states).execute();
      return rows.map(({ id }) => id);
    },
    async setBudget(id, budget) {
      const { numUpdatedRows } = await db
        .updateTable("matrix")
        .set({ budget: writeJson(budget), state: "open" })
        .where("id", "=", id)
        .where("state", "in", ["open", "ended"])
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
    },
    async setState(id, from, to) {
      const { numUpdatedRows } = await db
        .updateTable("matrix")
        .set({ state: to })
        .where("id", "=", id)
        .where("state", "in", from)
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
    },
    async refuse(id, position, error) {
      await db
        .updateTable("matrix_cell")
        .set({ error: writeJson(error) })
        .where("matrix_id", "=", id)
        .where("position", "=", position)
        .where("result", "is", null)
        .execute();
    },
  };
}

/** Inside the transaction that begins the run: a cell begins once, and none after its matrix was stopped. */
export async function takeCell(
  trx: Transaction<DB>,
  { matrixId, position }: NonNullable<RunStart["cell"]>,
  runId: string,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable("matrix_cell")
    .set({ result: runId })
    .where("matrix_id", "=", matrixId)
    .where("position", "=", position)
    .where("result", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("matrix").select("id").where("id", "=", matrixId).where("state", "=", "open")),
    )
    .executeTakeFirst();
  if (Number(numUpdatedRows) === 0)
    throw new StoreError("conflict", `Cell ${position} of matrix ${matrixId} has begun already, or may not.`);
}

async function add(
  trx: Transaction<DB>,
  { cells, ...row }: MatrixRow,
  most: { open: number; kept: number },
): Promise<boolean> {
  const known = await trx
    .selectFrom("matrix")
    .select(["id", "state"])
    .where("user_id", "=", row.userId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  const isOpen = ({ state }: (typeof known)[number]) => state === "open" || state === "stopping";
  const open = known.filter(isOpen).length;
  if (open >= most.open) return false;
  const surplus = known.filter((each) => !isOpen(each)).slice(Math.max(0, most.kept - 1 - open));
  if (surplus.length > 0)
    await trx
      .deleteFrom("matrix")
      .where(
        "id",
        "in",
        surplus.map(({ id }) => id),
      )
      .execute();
  await trx.insertInto("matrix").values(toRecord(row)).execute();
  await trx
    .insertInto("matrix_cell")
    .values(cells.map((cell, position) => toCellRecord(row.id, cell, position)))
    .execute();
  return true;
}

const toRecord = ({
  id,
  userId,
  tape,
  budget,
  goesUnpriced,
  state,
  createdAt,
}: Omit<MatrixRow, "cells">) => ({
  ...{ id, user_id: userId, tape, budget: writeJson(budget), state, created_at: createdAt },
  unpriced: goesUnpriced ? (1 as const) : (0 as const),
});

const toCellRecord = (id: string, { runId, model, result, error }: MatrixCellRow, position: number) => ({
  ...{ matrix_id: id, position, run_id: runId, model, result },
  error: error && writeJson(error),
});

/** A few dozen cells at most. */
async function withCells(db: Kysely<DB>, record: Selectable<DB["matrix"]>): Promise<MatrixRow> {
  const cells = await db
    .selectFrom("matrix_cell")
    .selectAll()
    .where("matrix_id", "=", record.id)
    .orderBy("position")
    .execute();
  return {
    id: record.id,
    userId: record.user_id,
    tape: record.tape,
    budget: readJson(`matrix ${record.id}`, record.budget, MatrixBudget),
    goesUnpriced: record.unpriced === 1,
    state: record.state,
    createdAt: record.created_at,
    cells: cells.map(({ run_id, model, result, error, position }) => ({
      ...{ runId: run_id, model, result },
      error: error === null ? null : readJson(`cell ${position} of matrix ${record.id}`, error, CellError),
    })),
  };
}
