import { type Kysely, type Selectable, sql } from "kysely";
import { z } from "zod";
import { isFull, prune } from "./add-deliveries";
import { readCursor, toPage } from "./cursor";
import { StoreError } from "./errors";
import type { Attempt, DeliveryCounts, DeliveryRow, HookDeliveries } from "./hook-ports";
import type { DB } from "./schema";
import { isShown } from "./shown";
import { readJson, writeJson } from "./stored-json";
import type { PageRequest } from "./types";

/** Made, id. */
const Key = z.tuple([z.number(), z.string()]);

const Last = z.object({
  at: z.number(),
  status: z.number().nullable(),
  text: z.string(),
  tookMs: z.number(),
});

/** `tell` hears that some were added here. */
export function openHookDeliveries(
  db: Kysely<DB>,
  added: { listen: HookDeliveries["onAdded"]; tell(): void },
): HookDeliveries {
  const change = (id: string) => db.updateTable("hook_delivery").where("id", "=", id);
  return {
    onAdded: added.listen,
    async add(row) {
      const isAdded = await db.transaction().execute(async (trx) => {
        if (await isFull(trx, row.hookId)) return false;
        await trx.insertInto("hook_delivery").values(toRecord(row)).execute();
        return true;
      });
      if (isAdded) added.tell();
      return isAdded;
    },
    due: (now, most) => selectDue(db, now, most),
    async nextAt(after) {
      const row = await db
        .selectFrom("hook_delivery")
        .select("next_at")
        .where("next_at", ">", after)
        .orderBy("next_at")
        .limit(1)
        .executeTakeFirst();
      return row?.next_at ?? undefined;
    },
    async claim({ id, attempts }, until) {
      const { numUpdatedRows } = await change(id)
        .set({ attempts: attempts + 1, next_at: until })
        .where("attempts", "=", attempts)
        .where("next_at", "is not", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async settle(id, attempt, { state, nextAt, last }) {
      await change(id)
        .set({ state, next_at: nextAt, last: last && writeJson(last) })
        .where("attempts", "=", attempt)
        .where("next_at", "is not", null)
        .execute();
    },
    async again({ userId, hookId }, id, now) {
      const row = await change(id)
        .set({ state: "waiting", attempts: 0, next_at: now })
        .where("user_id", "=", userId)
        .where("hook_id", "=", hookId)
        .where(isShown("hook_delivery.conversation_id"))
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new StoreError("not_found", "There is no such delivery.");
      added.tell();
      return toRow(row);
    },
    async delete(id) {
      await db.deleteFrom("hook_delivery").where("id", "=", id).execute();
    },
    list: (hook, page) => listDeliveries(db, hook, page),
    async waiting() {
      const { count } = await db
        .selectFrom("hook_delivery")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("next_at", "is not", null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    counts: (userId, since) => countDeliveries(db, userId, since),
    async hasArrived(hookId, after) {
      const row = await db
        .selectFrom("hook_delivery")
        .select("id")
        .where("hook_id", "=", hookId)
        .where("created_at", ">", after)
        .where("state", "=", "arrived")
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async stop(hookId) {
      const off: Attempt = { at: Date.now(), status: null, error: "off", text: "", tookMs: 0 };
      await db
        .updateTable("hook_delivery")
        .set(({ fn, ref, val }) => ({
          state: "failed",
          next_at: null,
          last: fn.coalesce(ref("last"), val(writeJson(off))),
        }))
        .where("hook_id", "=", hookId)
        .where("next_at", "is not", null)
        .execute();
    },
    async deleteOf(hookId) {
      await db.deleteFrom("hook_delivery").where("hook_id", "=", hookId).execute();
    },
    prune: (hookId, kept) => prune(db, hookId, kept),
    async deleteBefore(at) {
      await db
        .deleteFrom("hook_delivery")
        .where("next_at", "is", null)
        .where("created_at", "<", at)
        .execute();
    },
  };
}

/** At most so many of each hook: an address that does not answer holds up no other. */
async function selectDue(
  db: Kysely<DB>,
  now: number,
  { each, limit }: { each: number; limit: number },
): Promise<DeliveryRow[]> {
  const placed = db
    .selectFrom("hook_delivery")
    .selectAll()
    .select(sql<number>`row_number() over (partition by hook_id order by next_at, id)`.as("place"))
    .where("next_at", "<=", now)
    .as("placed");
  const rows = await db
    .selectFrom(placed)
    .selectAll()
    .where("place", "<=", each)
    .orderBy("next_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toRow);
}

async function listDeliveries(
  db: Kysely<DB>,
  { userId, hookId }: { userId: string; hookId: string },
  { limit, cursor }: PageRequest,
) {
  let query = db
    .selectFrom("hook_delivery")
    .selectAll()
    .where("user_id", "=", userId)
    .where("hook_id", "=", hookId)
    .where(isShown("hook_delivery.conversation_id"))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (cursor !== undefined) {
    const key = readCursor(cursor, Key);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("created_at", "id"), "<", tuple(...key)));
  }
  return toPage(await query.execute(), limit, (row) => [row.created_at, row.id], toRow);
}

async function countDeliveries(
  db: Kysely<DB>,
  userId: string,
  since: number,
): Promise<Map<string, DeliveryCounts>> {
  const rows = await db
    .selectFrom("hook_delivery")
    .select(["hook_id", "state"])
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("created_at", ">=", since)
    .where("event", "!=", "hook.test")
    .groupBy(["hook_id", "state"])
    .execute();
  const counts = new Map<string, DeliveryCounts>();
  for (const { hook_id, state, count } of rows) {
    const before = counts.get(hook_id) ?? { arrived: 0, failed: 0, waiting: 0 };
    counts.set(hook_id, { ...before, [state]: Number(count) });
  }
  return counts;
}

const toRecord = (row: DeliveryRow): DB["hook_delivery"] => ({
  ...{ id: row.id, user_id: row.userId, hook_id: row.hookId, event: row.event, run_id: row.runId },
  ...{ conversation_id: row.conversationId, state: row.state, created_at: row.createdAt },
  ...{ attempts: row.attempts, next_at: row.nextAt, last: row.last && writeJson(row.last) },
});

const toRow = (row: Selectable<DB["hook_delivery"]>): DeliveryRow => ({
  ...{ id: row.id, userId: row.user_id, hookId: row.hook_id, event: row.event, runId: row.run_id },
  ...{ conversationId: row.conversation_id, state: row.state, createdAt: row.created_at },
  ...{ attempts: row.attempts, nextAt: row.next_at },
  last: row.last === null ? null : readJson<Attempt>(`delivery ${row.id}`, row.last, Last),
});
