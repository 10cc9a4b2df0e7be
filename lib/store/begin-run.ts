import { type Kysely, sql, type Transaction } from "kysely";
import { claimAttachments } from "./attachments";
import { changeChoice, insertConversation } from "./conversations";
import { StoreError } from "./errors";
import { takeCell } from "./matrices";
import { appendMessages, insertMessages, insertUnfound, moveLeaf } from "./message-rows";
import { prepare } from "./prepare";
import { deliverQueued, moveQueued } from "./queued-rows";
import { requireAnswers } from "./run-answers";
import { toRecord } from "./run-rows";
import { changeStatus } from "./run-status";
import { takeSchedule } from "./schedules";
import type { DB } from "./schema";
import { isNotDeleted, isShown } from "./shown";
import type { ConversationRow, MessageRow, RunRow, RunStart } from "./types";
import { keepConversation } from "./unlisted";

/** Stores a run of `owner` with what it begins with, inside a transaction: one wait for the disk instead of one for each part. */
export async function beginRun(
  trx: Transaction<DB>,
  row: RunRow,
  { owner, ...start }: RunStart & { owner: string },
): Promise<void> {
  const { conversation, question, earlier = [], messages = [], isBranch, attachments = [] } = start;
  const { leaf, choice, title } = start;
  if (conversation && conversation.id !== row.conversationId)
    throw new StoreError("invalid", `Run ${row.id} does not belong to conversation ${conversation.id}.`);
  if (start.most !== undefined) await checkCount(trx, row.userId, start.most);
  const begun = [...earlier, ...(question ? [question] : []), ...messages];
  const place = isBranch && !begun[0] ? null : begun[0] && !isBranch ? begun[0].parentId : row.parentId;
  // Nobody else can be at a message that comes with this run; a session of a program has thousands of them to look through.
  const isFree = place !== null && place === begun.at(-1)?.id;
  const insert = row.origin === undefined ? insertMessages : insertUnfound;
  if (conversation) await insertBegun(trx, conversation, begun, insert);
  else if (leaf?.stays) await insert(trx, row.conversationId, row.userId, begun);
  else await keepIfOwn(trx, row, await appendMessages(trx, row.conversationId, begun, leaf?.from));
  if (!begun[0] && leaf?.to) {
    const to = { id: leaf.to, createdAt: row.startedAt };
    await keepIfOwn(trx, row, await moveLeaf(trx, row.conversationId, to, leaf.from));
  }
  if (choice) await changeChoice(trx, row.conversationId, choice);
  if (title)
    await trx
      .updateTable("conversation")
      .set({ title: title.to })
      .where("id", "=", row.conversationId)
      .where("title", "=", title.from)
      .execute();
  await claimAttachments(trx, attachments, row.conversationId);
  await insertOnly(trx, toRecord(row, owner), isFree ? null : place);
  if (start.waited) await completeWaiting(trx, row, start.waited.answers);
  if (start.queued) await deliverQueued(trx, start.queued, row.id);
  if (start.adopts) await moveQueued(trx, start.adopts, row.id);
  if (start.cell) await takeCell(trx, start.cell, row.id);
  if (start.schedule) await takeSchedule(trx, start.schedule, row.id);
}

/** Exact, as every engine lets one transaction write at a time. */
async function checkCount(trx: Transaction<DB>, userId: string, most: number): Promise<void> {
  const { count } = await trx
    .selectFrom("run")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("status", "=", "running")
    .executeTakeFirstOrThrow();
  if (count >= most) throw new StoreError("too_many", `${most} runs of this person are running already.`);
}

/** A person who goes on in what a program has had for itself has it from then on. */
async function keepIfOwn(
  trx: Transaction<DB>,
  { origin, conversationId }: RunRow,
  of: Pick<DB["conversation"], "origin"> | undefined,
): Promise<void> {
  if (origin === undefined && of?.origin === "v1") await keepConversation(trx, conversationId);
}

/** A conversation whose leaf is the last of its first messages. */
async function insertBegun(
  trx: Transaction<DB>,
  conversation: ConversationRow,
  begun: readonly MessageRow[],
  insert: typeof insertMessages,
): Promise<void> {
  const last = begun.at(-1);
  const moved = last && { leafId: last.id, updatedAt: last.createdAt };
  await insertConversation(trx, { ...conversation, ...moved });
  await insert(trx, conversation.id, conversation.userId, begun);
}

/**
 * One answer at a time is written in one place, and a run is continued once: every engine lets one transaction write at a time.
 */
async function insertOnly(trx: Transaction<DB>, row: DB["run"], parentId: string | null): Promise<void> {
  // Nothing is equal to null: what is not to be refused finds no other run.
  const place = row.status === "running" ? parentId : null;
  const mayBeTaken = place !== null || row.continues !== null;
  const [inserted] = await (mayBeTaken ? insertUnlessTaken(trx, { ...row, place }) : insertFree(trx, row));
  if (inserted) return;
  const known = await trx
    .selectFrom("conversation as c")
    .select("c.id")
    .where("c.id", "=", row.conversation_id)
    .where(isNotDeleted)
    .executeTakeFirst();
  if (!known) throw new StoreError("not_found", `There is no conversation ${row.conversation_id}.`);
  const [other] = await othersOf(trx, { ...row, place })
    .select(["id", "continues"])
    .execute();
  throw other?.continues === row.continues && row.continues !== null
    ? new StoreError("conflict", `Run ${row.continues} is continued already by ${other.id}.`)
    : new StoreError("conflict", `Run ${other?.id} is running already at ${parentId}.`);
}

type Placed = DB["run"] & { place: string | null };

const columns = [
  "id",
  "conversation_id",
  "user_id",
  "message_id",
  "parent_id",
  "status",
  "model",
  "agent",
  "continues",
  "started_at",
  "ended_at",
  "options",
  "iterations",
  "result",
  "forked_from",
  "owner_id",
  "origin",
  "started_by",
  "token_id",
] as const;

const insertUnlessTaken = prepare([...columns, "place"], (db, run: Placed) =>
  insertAs(
    db,
    valuesOf(db, run).where(({ not, exists }) => not(exists(othersOf(db, run).select("id")))),
  ),
);

const insertFree = prepare(columns, (db, run: DB["run"]) => insertAs(db, valuesOf(db, run)));

const valuesOf = (db: Kysely<DB>, run: DB["run"]) =>
  db
    .selectNoFrom((eb) => columns.map((column) => eb.val(run[column]).as(column)))
    .where(isShown(sql.val(run.conversation_id)));

const insertAs = (db: Kysely<DB>, values: ReturnType<typeof valuesOf>) =>
  db.insertInto("run").columns(columns).expression(values).returning("id");

const othersOf = (db: Kysely<DB>, { id, conversation_id, continues, place }: Placed) =>
  db
    .selectFrom("run")
    .where("conversation_id", "=", conversation_id)
    .where("id", "!=", id)
    .where((eb) =>
      eb.or([
        eb("continues", "=", continues),
        eb.and([eb("status", "=", "running"), eb("parent_id", "=", place)]),
      ]),
    );

async function completeWaiting(trx: Transaction<DB>, { id, continues }: RunRow, answers: number) {
  if (continues === null) throw new StoreError("invalid", `Run ${id} continues none that could wait.`);
  await requireAnswers(trx, continues, answers);
  await changeStatus(trx, continues, "waiting", "completed");
}
