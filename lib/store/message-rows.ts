import type { Kysely, Transaction } from "kysely";
import type { ChatMessage } from "@/lib/protocol/message";
import { StoreError } from "./errors";
import { prepare, prepareInsert } from "./prepare";
import type { DB } from "./schema";
import { indexMessages } from "./search/index-messages";
import { MessageBody, readJson, writeJson } from "./stored-json";
import type { MessageRow } from "./types";

/** Whose a conversation is, and which program has it. */
type Owned = Pick<DB["conversation"], "user_id" | "origin">;

/** Stores messages inside a transaction and moves the conversation's leaf to the last one, as `moveLeaf` does. Gives whose it is where there are some. */
export async function appendMessages(
  trx: Transaction<DB>,
  conversationId: string,
  rows: readonly MessageRow[],
  from?: string | null,
): Promise<Owned | undefined> {
  const last = rows.at(-1);
  if (!last) return undefined;
  const owned = await moveLeaf(trx, conversationId, last, from);
  const insert = owned.origin === null ? insertMessages : insertUnfound;
  await insert(trx, conversationId, owned.user_id, rows);
  return owned;
}

/**
 * Moves the leaf of a conversation and its `updated_at` along; `conflict` when the leaf is no longer `from`. Gives whose the
 * conversation is.
 */
export async function moveLeaf(
  trx: Transaction<DB>,
  conversationId: string,
  { id, createdAt }: Pick<MessageRow, "id" | "createdAt">,
  from?: string | null,
): Promise<Owned> {
  const values = { conversationId, id, createdAt };
  const [moved] =
    from === undefined ? await moveAnyLeaf(trx, values) : await moveLeafFrom(trx, { ...values, from });
  if (moved) return moved;
  const known = await trx
    .selectFrom("conversation")
    .select("leaf_id")
    .where("id", "=", conversationId)
    .executeTakeFirst();
  throw known
    ? new StoreError("conflict", `Conversation ${conversationId} has gone on to ${known.leaf_id}.`)
    : new StoreError("not_found", `There is no conversation ${conversationId}.`);
}

interface Moved {
  conversationId: string;
  id: string;
  createdAt: number;
}

const moveAnyLeaf = prepare(["conversationId", "id", "createdAt"], (db, values: Moved) =>
  setLeaf(db, values).returning(["user_id", "origin"]),
);

const moveLeafFrom = prepare(
  ["conversationId", "id", "createdAt", "from"],
  (db, values: Moved & { from: string | null }) =>
    setLeaf(db, values)
      .where("leaf_id", "is not distinct from", values.from)
      .returning(["user_id", "origin"]),
);

const setLeaf = (db: Kysely<DB>, { conversationId, id, createdAt }: Moved) =>
  db.updateTable("conversation").set({ leaf_id: id, updated_at: createdAt }).where("id", "=", conversationId);

/** Stores messages inside a transaction; their parents must be there or come before them. */
export async function insertMessages(
  trx: Transaction<DB>,
  conversationId: string,
  userId: string,
  rows: readonly MessageRow[],
): Promise<void> {
  await insertMessageRecords(
    trx,
    rows.map((row) => toMessageRecord(row, conversationId, userId)),
  );
}

/** The same for what a search does not find. */
export async function insertUnfound(
  trx: Transaction<DB>,
  conversationId: string,
  userId: string,
  rows: readonly MessageRow[],
): Promise<void> {
  await insertRecords(
    trx,
    rows.map((row) => toMessageRecord(row, conversationId, userId)),
  );
}

/** `insertMessages` for those of several conversations. Others get their turn in `between`. */
export async function insertMessageRecords(
  trx: Transaction<DB>,
  records: readonly DB["message"][],
  between?: () => Promise<void>,
): Promise<void> {
  await insertRecords(trx, records);
  await between?.();
  await indexMessages(trx, records, between);
}

const insertRecords = prepareInsert("message", [
  "conversation_id",
  "id",
  "user_id",
  "parent_id",
  "role",
  "run_id",
  "model",
  "client_message_id",
  "created_at",
  "body",
]);

export async function findMessage(
  db: Kysely<DB>,
  conversationId: string,
  id: string,
): Promise<MessageRow | undefined> {
  const [row] = await selectMessage(db, { conversationId, id });
  return row && toRow(row, conversationId);
}

const selectMessage = prepare(
  ["conversationId", "id"],
  (db, { conversationId, id }: { conversationId: string; id: string }) =>
    db.selectFrom("message").selectAll().where("conversation_id", "=", conversationId).where("id", "=", id),
);

export const noSuchMessage = (conversationId: string, id: string) =>
  new StoreError("not_found", `There is no message ${id} in conversation ${conversationId}.`);

export const hasMessage = async (db: Kysely<DB>, conversationId: string, id: string): Promise<boolean> =>
  (await selectId(db, { conversationId, id })).length > 0;

const selectId = prepare(
  ["conversationId", "id"],
  (db, { conversationId, id }: { conversationId: string; id: string }) =>
    db.selectFrom("message").select("id").where("conversation_id", "=", conversationId).where("id", "=", id),
);

export function toRow(
  record: Omit<DB["message"], "conversation_id" | "user_id">,
  conversationId: string,
): MessageRow {
  const { role } = record;
  const body = readJson<Omit<ChatMessage, "role">>(`message ${record.id}`, record.body, MessageBody[role]);
  return {
    id: record.id,
    conversationId,
    parentId: record.parent_id,
    message: { role, ...body } as ChatMessage,
    runId: record.run_id,
    model: record.model,
    clientMessageId: record.client_message_id,
    createdAt: record.created_at,
  };
}

export function toMessageRecord(row: MessageRow, conversationId: string, userId: string): DB["message"] {
  if (row.conversationId !== conversationId)
    throw new StoreError("invalid", `Message ${row.id} does not belong to conversation ${conversationId}.`);
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
