import { type Kysely, type Selectable, sql } from "kysely";
import { z } from "zod";
import type { GatewaySessionRow, GatewaySessions, GatewayWishes } from "./kept-ports";
import { prepare } from "./prepare";
import type { DB } from "./schema";
import { isShown } from "./shown";
import { readJson, writeJson } from "./stored-json";

const Body = z.object({
  client: z.object({ name: z.string(), version: z.string(), title: z.string().optional() }),
  protocol: z.string(),
  capabilities: z.record(z.string(), z.unknown()),
  found: z.array(z.string()).optional(),
  watched: z.array(z.string()).optional(),
  logLevel: z.string().optional(),
});

type Kept = Pick<GatewaySessionRow, "client" | "protocol" | "capabilities"> & GatewayWishes;

const readBody = ({ id, body }: Pick<DB["gateway_session"], "id" | "body">): Kept =>
  readJson<Kept>(`session of a client ${id}`, body, Body);

export function openGatewaySessions(db: Kysely<DB>): GatewaySessions {
  return {
    add: (row, most) =>
      db.transaction().execute(async (trx) => {
        await insertSession(trx, row);
        await trx
          .deleteFrom("gateway_session")
          .where("id", "in", (eb) =>
            eb
              .selectFrom("gateway_session")
              .select("id")
              .where("user_id", "=", row.userId)
              .orderBy("last_seen_at", "desc")
              .orderBy("id")
              .offset(most)
              .limit(maxAtOnce),
          )
          .execute();
      }),
    async get(id) {
      const [row] = await selectSession(db, { id });
      return row && { ...toRow(row), hasWaiting: Boolean(row.has_waiting) };
    },
    async noteUsed(id, at) {
      await db.updateTable("gateway_session").set({ last_seen_at: at }).where("id", "=", id).execute();
    },
    async change(id, change) {
      for (let left = maxConflicts; ; left--) {
        const row = await db
          .selectFrom("gateway_session")
          .select(["id", "body"])
          .where("id", "=", id)
          .executeTakeFirst();
        if (!row) return;
        const { client, protocol, capabilities, ...wishes } = readBody(row);
        const { numUpdatedRows } = await db
          .updateTable("gateway_session")
          .set({ body: writeJson({ client, protocol, capabilities, ...change(wishes) }) })
          .where("id", "=", id)
          .where("body", "=", row.body)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) return;
        if (left === 0) throw new Error(`The session of a client ${id} is changed by others all the time.`);
      }
    },
    async setConversation(id, from, to) {
      const { numUpdatedRows } = await db
        .updateTable("gateway_session")
        .set({ conversation_id: to })
        .where("id", "=", id)
        .where("conversation_id", "is not distinct from", from)
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
    },
    async delete(id) {
      const { numDeletedRows } = await db
        .deleteFrom("gateway_session")
        .where("id", "=", id)
        .executeTakeFirst();
      return Number(numDeletedRows) > 0;
    },
    async deleteUnused(before) {
      await db.deleteFrom("gateway_session").where("last_seen_at", "<", before).execute();
    },
  };
}

/** Others that change the same session at the same time. */
const maxConflicts = 20;

/** Of those that give way; more of them go with the next one. */
const maxAtOnce = 100;

async function insertSession(trx: Kysely<DB>, row: GatewaySessionRow): Promise<void> {
  const { id, client, protocol, capabilities } = row;
  await trx
    .insertInto("gateway_session")
    .values({
      ...{ id, user_id: row.userId, token_id: row.tokenId, conversation_id: row.conversationId },
      ...{ body: writeJson({ client, protocol, capabilities }) },
      ...{ created_at: row.createdAt, last_seen_at: row.lastSeenAt },
    })
    .execute();
}

const selectSession = prepare(["id"], (db, { id }: { id: string }) =>
  db
    .selectFrom("gateway_session as s")
    .selectAll()
    .select(({ exists, selectFrom, ref }) =>
      exists(
        selectFrom("run")
          .select("run.id")
          .where("status", "=", "waiting")
          // Not by the index of conversations: that of a program has thousands of runs.
          .where(sql<string>`run.conversation_id || ''`, "=", ref("s.conversation_id"))
          .where(isShown("run.conversation_id")),
      ).as("has_waiting"),
    )
    .where("s.id", "=", id),
);

const toRow = (row: Selectable<DB["gateway_session"]>): GatewaySessionRow => ({
  ...{ id: row.id, userId: row.user_id, tokenId: row.token_id, conversationId: row.conversation_id },
  ...readBody(row),
  ...{ createdAt: row.created_at, lastSeenAt: row.last_seen_at },
});
