import type { Kysely, Transaction } from "kysely";
import type { ChatMessage } from "@/lib/protocol/message";
import { StoreError } from "./errors";
import type { DB } from "./schema";
import { MessageBody, readJson, writeJson } from "./stored-json";
import type { MessageRow } from "./types";

/** Rows of one statement; keeps it below every engine's number of parameters. */
const batchSize = 100;

/** Stores messages inside a transaction and moves the conversation's leaf to the last one, as `moveLeaf` does. */
export async function appendMessages(
  trx: Transaction<DB>,
  conversationId: string,
  rows: readonly MessageRow[],
  from?: string | null,
): Promise<void> {
  const last = rows.at(-1);
  if (!last) return;
  const userId = await moveLeaf(trx, conversationId, last, from);
  await insertMessages(trx, conversationId, userId, rows);
}

/**
 * Moves the leaf of a conversation and its `updated_at` along; `conflict` when the leaf is no longer `from`. Gives the
 * conversation's owner.
 */
export async function moveLeaf(
  trx: Transaction<DB>,
  conversationId: string,
  { id, createdAt }: Pick<MessageRow, "id" | "createdAt">,
  from?: string | null,
): Promise<string> {
  const moved = await trx
    .updateTable("conversation")
    .set({ leaf_id: id, updated_at: createdAt })
    .where("id", "=", conversationId)
    .$if(from !== undefined, (query) => query.where("leaf_id", "is", from ?? null))
    .returning("user_id")
    .executeTakeFirst();
  if (moved) return moved.user_id;
  const known = await trx
    .selectFrom("conversation")
    .select("leaf_id")
    .where("id", "=", conversationId)
    .executeTakeFirst();
  throw known
    ? new StoreError("conflict", `Conversation ${conversationId} has gone on to ${known.leaf_id}.`)
    : new StoreError("not_found", `There is no conversation ${conversationId}.`);
}

/** Stores messages inside a transaction; their parents must be there or come before them. */
export async function insertMessages(
  trx: Transaction<DB>,
  conversationId: string,
  userId: string,
  rows: readonly MessageRow[],
): Promise<void> {
  const stray = rows.find((row) => row.conversationId !== conversationId);
  if (stray)
    throw new StoreError("invalid", `Message ${stray.id} does not belong to conversation ${conversationId}.`);
  for (let at = 0; at < rows.length; at += batchSize) {
    const records = rows.slice(at, at + batchSize).map((row) => toRecord(row, userId));
    await trx.insertInto("message").values(records).execute();
  }
}

export async function findMessage(
  db: Kysely<DB>,
  conversationId: string,
  id: string,
): Promise<MessageRow | undefined> {
  const row = await db
    .selectFrom("message")
    .selectAll()
    .where("conversation_id", "=", conversationId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toRow(row);
}

export const noSuchMessage = (conversationId: string, id: string) =>
  new StoreError("not_found", `There is no message ${id} in conversation ${conversationId}.`);

export function toRow(record: DB["message"]): MessageRow {
  const { role } = record;
  const body = readJson<Omit<ChatMessage, "role">>(`message ${record.id}`, record.body, MessageBody[role]);
  return {
    id: record.id,
    conversationId: record.conversation_id,
    parentId: record.parent_id,
    message: { role, ...body } as ChatMessage,
    runId: record.run_id,
    model: record.model,
    clientMessageId: record.client_message_id,
    createdAt: record.created_at,
  };
}

function toRecord(row: MessageRow, userId: string): DB["message"] {
  const { role, ...body } = row.message;
  return {
    conversation_id: row.conversationId,
    id: row.id,
    user_id: userId,
    parent_id: row.parentId,
    role,
    run_id: row.runId,
    model: row.model,
    client_message_id: row.clientMessageId,
    created_at: row.createdAt,
    body: writeJson(body),
  };
}
