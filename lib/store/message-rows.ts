import type { Kysely, Transaction } from "kysely";
import type { ChatMessage } from "@/lib/protocol/message";
import { StoreError } from "./errors";
import type { DB } from "./schema";
import { MessageBody, readJson, writeJson } from "./stored-json";
import type { MessageRow } from "./types";

/** Rows of one statement; keeps it below every engine's number of parameters. */
const batchSize = 100;

/** Stores messages inside a transaction and moves the conversation's leaf to the last one, its `updated_at` along. */
export async function appendMessages(
  trx: Transaction<DB>,
  conversationId: string,
  rows: readonly MessageRow[],
): Promise<void> {
  const last = rows.at(-1);
  if (!last) return;
  const owner = await trx
    .updateTable("conversation")
    .set({ leaf_id: last.id, updated_at: last.createdAt })
    .where("id", "=", conversationId)
    .returning("user_id")
    .executeTakeFirst();
  if (!owner) throw new StoreError("not_found", `There is no conversation ${conversationId}.`);
  await insertMessages(trx, conversationId, owner.user_id, rows);
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
