import type { Kysely, Selectable, Transaction } from "kysely";
import type { StartedBy } from "@/lib/protocol/http";
import { StoreError } from "./errors";
import type { ScheduleRow, ScheduleStart, Schedules } from "./schedule-ports";
import type { DB } from "./schema";
import { readEach, readJson, ScheduleBody, ScheduleNoteData, writeJson } from "./stored-json";

/** In lists, a row that cannot be read is left out and handed to `onBrokenRow`. */
export function openSchedules(db: Kysely<DB>, onBrokenRow: (error: StoreError) => void): Schedules {
  const ofPerson = (userId: string, kind: StartedBy["kind"]) =>
    ofKind(db.selectFrom("schedule").selectAll().where("user_id", "=", userId), kind);
  const readOne = (record: Selectable<DB["schedule"]> | undefined) => record && toRow(record);
  return {
    add: (row, most) => db.transaction().execute((trx) => add(trx, row, most)),
    async list(userId, kind) {
      const records = await ofPerson(userId, kind).orderBy("created_at").orderBy("id").execute();
      return readEach(records, toRow, onBrokenRow);
    },
    get: async (userId, kind, id) =>
      readOne(await ofPerson(userId, kind).where("id", "=", id).executeTakeFirst()),
    byToken: async (tokenHash) =>
      readOne(
        await db.selectFrom("schedule").selectAll().where("token_hash", "=", tokenHash).executeTakeFirst(),
      ),
    update: (userId, kind, id, change) =>
      db.transaction().execute(async (trx) => {
        const record = await ofKind(
          trx.selectFrom("schedule").selectAll().where("id", "=", id).where("user_id", "=", userId),
          kind,
        ).executeTakeFirst();
        if (!record) return undefined;
        const before = toRow(record);
        const row = { ...before, ...change(before) };
        const { body, next_at, note } = toRecord(row);
        await trx.updateTable("schedule").set({ body, next_at, note }).where("id", "=", id).execute();
        return row;
      }),
    async delete(userId, kind, id) {
      const found = ofKind(
        db.selectFrom("schedule").select("id").where("user_id", "=", userId).where("id", "=", id),
        kind,
      );
      const { numDeletedRows } = await db.deleteFrom("schedule").where("id", "in", found).executeTakeFirst();
      return Number(numDeletedRows) > 0;
    },
    ...openDue(db),
    async runOfKey(id, keyHash, since) {
      const row = await db
        .selectFrom("trigger_key")
        .select("run_id")
        .where("schedule_id", "=", id)
        .where("key_hash", "=", keyHash)
        .where("at", ">", since)
        .executeTakeFirst();
      return row?.run_id;
    },
    async countBegun(id, since) {
      const { count } = await db
        .selectFrom("run")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("started_by", "=", id)
        .where("started_at", ">", since)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

const openDue = (db: Kysely<DB>): Pick<Schedules, "due" | "soonest" | "passOver"> => ({
  due(until, limit, butOf) {
    let query = db
      .selectFrom("schedule")
      .select(["id", "user_id as userId"])
      .where("next_at", "<=", until)
      .orderBy("next_at")
      .orderBy("id")
      .limit(limit);
    if (butOf.length > 0) query = query.where("user_id", "not in", butOf);
    return query.execute();
  },
  async soonest() {
    const row = await db
      .selectFrom("schedule")
      .select("next_at")
      .where("next_at", "is not", null)
      .orderBy("next_at")
      .limit(1)
      .executeTakeFirst();
    return row?.next_at ?? undefined;
  },
  async passOver(id, { at, nextAt }, note) {
    const { numUpdatedRows } = await db
      .updateTable("schedule")
      .set({ next_at: nextAt, ...(note && { note: writeJson(note) }) })
      .where("id", "=", id)
      .where("next_at", "=", at)
      .executeTakeFirst();
    return Number(numUpdatedRows) > 0;
  },
});

/** Inside the transaction that begins the run: whoever else has seen to this time, or this call, makes it a `conflict` or a `duplicate`. */
export async function takeSchedule(
  trx: Transaction<DB>,
  { id, note, due, after, key }: ScheduleStart,
  runId: string,
): Promise<void> {
  let query = trx
    .updateTable("schedule")
    .set({
      last_run_id: runId,
      note: note && writeJson(note),
      ...(due && { next_at: due.nextAt }),
    })
    .where("id", "=", id);
  if (due) query = query.where("next_at", "=", due.at);
  if (after !== undefined) query = query.where("last_run_id", "is not distinct from", after);
  const { numUpdatedRows } = await query.executeTakeFirst();
  if (Number(numUpdatedRows) === 0)
    throw new StoreError("conflict", `Schedule ${id} is gone, or somebody else has begun this run.`);
  if (key) await takeKey(trx, id, key, runId);
}

/** Keys that are old enough to be forgotten go at the same time. */
async function takeKey(
  trx: Transaction<DB>,
  id: string,
  { hash, at, keptMs }: NonNullable<ScheduleStart["key"]>,
  runId: string,
): Promise<void> {
  await trx
    .deleteFrom("trigger_key")
    .where("schedule_id", "=", id)
    .where("at", "<=", at - keptMs)
    .execute();
  const inserted = await trx
    .insertInto("trigger_key")
    .values({ schedule_id: id, key_hash: hash, run_id: runId, at })
    .onConflict((conflict) => conflict.doNothing())
    .returning("run_id")
    .executeTakeFirst();
  if (!inserted) throw new StoreError("duplicate", `Trigger ${id} was called with this key already.`);
}

async function add(trx: Transaction<DB>, row: ScheduleRow, most: number): Promise<boolean> {
  const { count } = await ofKind(
    trx
      .selectFrom("schedule")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("user_id", "=", row.userId),
    row.timing ? "schedule" : "trigger",
  ).executeTakeFirstOrThrow();
  if (count >= most) return false;
  await trx.insertInto("schedule").values(toRecord(row)).execute();
  return true;
}

/** A trigger has a token. */
const ofKind = <Query extends { where(column: "token_hash", is: "is" | "is not", value: null): Query }>(
  query: Query,
  kind: StartedBy["kind"],
): Query => query.where("token_hash", kind === "schedule" ? "is" : "is not", null);

const toRecord = (row: ScheduleRow) => ({
  ...{ id: row.id, user_id: row.userId, token_hash: row.tokenHash },
  body: writeJson({ errand: row.errand, timing: row.timing }),
  ...{ next_at: row.nextAt, last_run_id: row.lastRunId },
  note: row.note && writeJson(row.note),
  created_at: row.createdAt,
});

const toRow = (record: Selectable<DB["schedule"]>): ScheduleRow => ({
  ...{ id: record.id, userId: record.user_id, tokenHash: record.token_hash },
  ...readJson<Pick<ScheduleRow, "errand" | "timing">>(`schedule ${record.id}`, record.body, ScheduleBody),
  ...{ nextAt: record.next_at, lastRunId: record.last_run_id },
  note: record.note === null ? null : readJson(`schedule ${record.id}`, record.note, ScheduleNoteData),
  createdAt: record.created_at,
});
