import type { Kysely, Transaction } from "kysely";
import { claimAttachments } from "./attachments";
import { StoreError } from "./errors";
import type { MessageQueue } from "./ports";
import type { NewQueued } from "./queue-types";
import { inOrder, noBody, place, selectWaiting, toBody, toRow } from "./queued-rows";
import { chainOf } from "./run-chain";
import type { DB } from "./schema";
import { isShown } from "./shown";

/** What may wait behind one chain of runs. */
const maxWaiting = 20;

export function openMessageQueue(db: Kysely<DB>): MessageQueue {
  return {
    add: (row) => db.transaction().execute((trx) => addMessage(trx, row)),
    async get(userId, id) {
      const record = await selectShown(db, userId).where("id", "=", id).executeTakeFirst();
      return record && toRow(record);
    },
    async byClientId(userId, clientMessageId) {
      const record = await selectShown(db, userId)
        .where("client_message_id", "=", clientMessageId)
        .executeTakeFirst();
      return record && toRow(record);
    },
    waiting: async (chainId) => (await selectWaiting(db, chainId)).map(toRow),
    waitingIn: (conversationId) =>
      db
        .selectFrom("queued_message as q")
        .innerJoin("run", "run.id", "q.chain_id")
        .where("q.conversation_id", "=", conversationId)
        .where("q.state", "=", "waiting")
        .select(["q.chain_id as chainId", "run.message_id as messageId"])
        .distinct()
        .execute(),
    unsettled: () =>
      db
        .selectFrom("queued_message")
        .where("state", "in", ["waiting", "taken"])
        .where(isShown("queued_message.conversation_id"))
        .select(["chain_id as chainId", "user_id as userId"])
        .distinct()
        .execute(),
    async takers(chainId) {
      const rows = await db
        .selectFrom("queued_message")
        .where("chain_id", "=", chainId)
        .where("state", "=", "taken")
        .select("run_id")
        .distinct()
        .execute();
      return rows.flatMap(({ run_id }) => run_id ?? []);
    },
    change: (id, patch) => db.transaction().execute((trx) => changeWaiting(trx, id, patch)),
    async takeBack(id) {
      const { numDeletedRows } = await db
        .deleteFrom("queued_message")
        .where("id", "=", id)
        .where("state", "=", "waiting")
        .executeTakeFirst();
      return Number(numDeletedRows) > 0;
    },
    async claim(chainId, runId) {
      const records = await db
        .updateTable("queued_message")
        .set({ state: "taken", run_id: runId })
        .where("chain_id", "=", chainId)
        .where("state", "=", "waiting")
        .where("kind", "=", "next_turn")
        .returningAll()
        .execute();
      return inOrder(records).map(toRow);
    },
    settle: (chainId, end) => db.transaction().execute((trx) => settle(trx, chainId, end)),
    async askedAfter(runId) {
      const record = await db
        .selectFrom("queued_message")
        .select("run_id")
        .where("follows", "=", runId)
        .executeTakeFirst();
      return record?.run_id ?? undefined;
    },
  };
}

async function addMessage(
  trx: Transaction<DB>,
  { row, runId, questionId, isFirst, mayFollow }: NewQueued,
): Promise<{ id: string } | "full" | "ended"> {
  const { conversationId, userId, clientMessageId } = row;
  const known =
    (await selectOf(trx, userId).where("client_message_id", "=", clientMessageId).executeTakeFirst()) ??
    (await trx
      .selectFrom("message")
      .select("id")
      .where("user_id", "=", userId)
      .where("client_message_id", "=", clientMessageId)
      .executeTakeFirst());
  if (known) return { id: known.id };
  const runs = await trx
    .selectFrom("run")
    .select(["id", "continues", "status"])
    .where("conversation_id", "=", conversationId)
    .where("message_id", "=", questionId)
    .execute();
  const chain = chainOf(runs, runId);
  if (!mayFollow && !chain.some(({ status }) => status === "running" || status === "waiting")) return "ended";
  const chainId = chain[0]?.id ?? runId;
  const waiting = await selectWaiting(trx, chainId);
  if (waiting.length >= maxWaiting) return "full";
  const places = waiting.map(({ position }) => position);
  const position = isFirst ? Math.min(0, ...places) - 1 : Math.max(0, ...places) + 1;
  const files = row.message.parts.flatMap((part) =>
    part.type === "file" && part.attachmentId ? part.attachmentId : [],
  );
  await claimAttachments(trx, files, conversationId);
  await trx
    .insertInto("queued_message")
    .values({
      id: row.id,
      conversation_id: conversationId,
      user_id: userId,
      chain_id: chainId,
      client_message_id: clientMessageId,
      kind: row.when,
      state: "waiting",
      position,
      run_id: null,
      follows: null,
      body: toBody(row.message),
      created_at: row.createdAt,
    })
    .execute();
  return { id: row.id };
}

async function changeWaiting(
  trx: Transaction<DB>,
  id: string,
  { message, when, before }: Parameters<MessageQueue["change"]>[1],
): Promise<boolean> {
  const [changed] = await trx
    .updateTable("queued_message")
    .set({
      ...(message && { body: toBody(message) }),
      ...(when && { kind: when }),
      state: "waiting",
    })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .returningAll()
    .execute();
  if (!changed) return false;
  if (before === undefined) return true;
  const others = (await selectWaiting(trx, changed.chain_id)).filter((other) => other.id !== id);
  const at = before === null ? others.length : others.findIndex((other) => other.id === before);
  if (at < 0) throw new StoreError("not_found", `The message ${before} does not wait behind this answer.`);
  await place(trx, others.toSpliced(at, 0, changed));
  return true;
}

async function settle(
  trx: Transaction<DB>,
  chainId: string,
  { runIds, delivered, isOver }: Parameters<MessageQueue["settle"]>[1],
): Promise<boolean> {
  const taken = trx
    .updateTable("queued_message")
    .where("chain_id", "=", chainId)
    .where("state", "=", "taken");
  if (delivered.length > 0)
    await taken
      .set({ state: "delivered", body: noBody })
      .where("id", "in", [...delivered])
      .execute();
  if (runIds.length > 0)
    await taken
      .set({ state: "waiting", run_id: null })
      .where("run_id", "in", [...runIds])
      .execute();
  const waiting = await selectWaiting(trx, chainId);
  if (isOver && waiting.some(({ kind }) => kind === "next_turn"))
    await place(trx, waiting, { kind: "after" });
  return waiting.length > 0;
}

const selectOf = (db: Kysely<DB>, userId: string) =>
  db.selectFrom("queued_message").selectAll().where("user_id", "=", userId);

const selectShown = (db: Kysely<DB>, userId: string) =>
  selectOf(db, userId).where(isShown("queued_message.conversation_id"));
