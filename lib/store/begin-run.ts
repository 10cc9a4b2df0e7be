import type { Kysely, Transaction } from "kysely";
import { claimAttachments } from "./attachments";
import { insertConversation } from "./conversations";
import { StoreError } from "./errors";
import { appendMessages, moveLeaf } from "./message-rows";
import { requireAnswers } from "./run-answers";
import { toRecord } from "./run-rows";
import { changeStatus } from "./run-status";
import type { DB } from "./schema";
import type { RunRow, RunStart } from "./types";

/** Stores a run with what it begins with, all or none: one wait for the disk instead of one for each part. */
export async function beginRun(db: Kysely<DB>, row: RunRow, start: RunStart): Promise<void> {
  const { conversation, question, messages = [], attachments = [], leaf, waited } = start;
  if (conversation && conversation.id !== row.conversationId)
    throw new StoreError("invalid", `Run ${row.id} does not belong to conversation ${conversation.id}.`);
  const record = toRecord(row);
  const begun = [...(question ? [question] : []), ...messages];
  await db.transaction().execute(async (trx) => {
    if (conversation) await insertConversation(trx, conversation);
    await appendMessages(trx, row.conversationId, begun, leaf?.from);
    if (!begun[0] && leaf?.to)
      await moveLeaf(trx, row.conversationId, { id: leaf.to, createdAt: row.startedAt }, leaf.from);
    await claimAttachments(trx, attachments, row.conversationId);
    await refuseSecond(trx, row, begun[0] ? begun[0].parentId : row.parentId);
    await trx.insertInto("run").values(record).execute();
    if (waited) await completeWaiting(trx, row, waited.answers);
  });
}

/**
 * One answer at a time is written in one place, and a run is continued once. SQLite lets one transaction write at a
 * time; an engine that does not needs a unique index for each.
 */
async function refuseSecond(trx: Transaction<DB>, row: RunRow, parentId: string | null): Promise<void> {
  const others = trx
    .selectFrom("run")
    .select("id")
    .where("conversation_id", "=", row.conversationId)
    .where("id", "!=", row.id)
    .limit(1);
  if (row.status === "running" && parentId !== null) {
    const live = others.where("status", "=", "running").where("parent_id", "=", parentId);
    const other = await live.executeTakeFirst();
    if (other) throw new StoreError("conflict", `Run ${other.id} is running already at ${parentId}.`);
  }
  if (row.continues !== null) {
    const next = await others.where("continues", "=", row.continues).executeTakeFirst();
    if (next) throw new StoreError("conflict", `Run ${row.continues} is continued already by ${next.id}.`);
  }
}

async function completeWaiting(trx: Transaction<DB>, { id, continues }: RunRow, answers: number) {
  if (continues === null) throw new StoreError("invalid", `Run ${id} continues none that could wait.`);
  await requireAnswers(trx, continues, answers);
  await changeStatus(trx, continues, "waiting", "completed");
}
