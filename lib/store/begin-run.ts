import type { Kysely, Transaction } from "kysely";
import { claimAttachments } from "./attachments";
import { insertConversation } from "./conversations";
import { StoreError } from "./errors";
import { appendMessages } from "./message-rows";
import { toRecord } from "./run-rows";
import type { DB } from "./schema";
import type { RunRow, RunStart } from "./types";

/** Stores a run with what it begins with, all or none: one wait for the disk instead of one for each part. */
export async function beginRun(db: Kysely<DB>, row: RunRow, start: RunStart): Promise<void> {
  const { conversation, question, messages = [], attachments = [], status } = start;
  if (conversation && conversation.id !== row.conversationId)
    throw new StoreError("invalid", `Run ${row.id} does not belong to conversation ${conversation.id}.`);
  const record = toRecord(row);
  await db.transaction().execute(async (trx) => {
    if (conversation) await insertConversation(trx, conversation);
    await appendMessages(trx, row.conversationId, [...(question ? [question] : []), ...messages]);
    await claimAttachments(trx, attachments, row.conversationId);
    await trx.insertInto("run").values(record).execute();
    if (status) await changeStatus(trx, status);
  });
}

async function changeStatus(trx: Transaction<DB>, { id, status }: NonNullable<RunStart["status"]>) {
  const { numUpdatedRows } = await trx
    .updateTable("run")
    .set({ status })
    .where("id", "=", id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new StoreError("not_found", `There is no run ${id}.`);
}
