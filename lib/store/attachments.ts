import type { Kysely, Transaction } from "kysely";
import { StoreError } from "./errors";
import type { Attachments } from "./kept-ports";
import type { DB } from "./schema";
import { isShown } from "./shown";
import type { AttachmentRow } from "./types";

export function openAttachments(db: Kysely<DB>): Attachments {
  return {
    add: (row, maxBytes) =>
      db.transaction().execute((trx) => insertAttachments(trx, row.userId, [row], maxBytes)),
    async get(userId, id) {
      const record = await db
        .selectFrom("attachment")
        .selectAll()
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .where(isShown("attachment.conversation_id"))
        .executeTakeFirst();
      return record && toRow(record);
    },
    async idsOf(conversationId) {
      const rows = await db
        .selectFrom("attachment")
        .select("id")
        .where("conversation_id", "=", conversationId)
        .execute();
      return rows.map(({ id }) => id);
    },
    async ofProject(projectId) {
      const rows = await db
        .selectFrom("attachment")
        .selectAll()
        .where("project_id", "=", projectId)
        .execute();
      return rows.map(toRow);
    },
    async allIds() {
      const rows = await db.selectFrom("attachment").select("id").execute();
      return new Set(rows.map(({ id }) => id));
    },
    bytesOf: (userId) => bytesOf(db, userId),
    async countLoose(userId) {
      const { count } = await db
        .selectFrom("attachment")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("conversation_id", "is", null)
        .where("project_id", "is", null)
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async deleteLoose(before) {
      const rows = await db
        .deleteFrom("attachment")
        .where("conversation_id", "is", null)
        .where("project_id", "is", null)
        .where("created_at", "<", before)
        .returning("id")
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

async function bytesOf(db: Kysely<DB>, userId: string): Promise<number> {
  const { used } = await db
    .selectFrom("attachment")
    .select(({ fn, lit }) => fn.coalesce(fn.sum<number>("size"), lit(0)).as("used"))
    .where("user_id", "=", userId)
    .where(isShown("attachment.conversation_id"))
    .executeTakeFirstOrThrow();
  return Number(used);
}

/** False, and nothing is added, when all files of this user would then have more bytes together. */
export async function insertAttachments(
  trx: Transaction<DB>,
  userId: string,
  rows: readonly AttachmentRow[],
  maxBytes: number,
): Promise<boolean> {
  const added = rows.reduce((sum, { size }) => sum + size, 0);
  if ((await bytesOf(trx, userId)) + added > maxBytes) return false;
  for (const row of rows) await trx.insertInto("attachment").values(toRecord(row)).execute();
  return true;
}

/** A file belongs to one conversation, with which it goes. `not_found` when one of them is not there or not free. */
export async function claimAttachments(
  trx: Transaction<DB>,
  ids: readonly string[],
  conversationId: string,
): Promise<void> {
  if (ids.length === 0) return;
  const { numUpdatedRows } = await trx
    .updateTable("attachment")
    .set({ conversation_id: conversationId })
    .where("id", "in", ids)
    .where("project_id", "is", null)
    .where((eb) => eb.or([eb("conversation_id", "is", null), eb("conversation_id", "=", conversationId)]))
    .executeTakeFirst();
  if (Number(numUpdatedRows) !== new Set(ids).size)
    throw new StoreError("not_found", "An attachment of this message is no longer there; attach it again.");
}

const toRecord = (row: AttachmentRow): DB["attachment"] => ({
  id: row.id,
  user_id: row.userId,
  conversation_id: row.conversationId,
  project_id: row.projectId,
  name: row.name,
  media_type: row.mediaType,
  size: row.size,
  characters: row.characters,
  created_at: row.createdAt,
});

export const toRow = (record: DB["attachment"]): AttachmentRow => ({
  id: record.id,
  userId: record.user_id,
  conversationId: record.conversation_id,
  projectId: record.project_id,
  name: record.name,
  mediaType: record.media_type,
  size: record.size,
  characters: record.characters,
  createdAt: record.created_at,
});
