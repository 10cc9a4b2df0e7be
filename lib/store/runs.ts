import type { Kysely, Transaction } from "kysely";
import { beginRun } from "./begin-run";
import { isOnBranch } from "./branch";
import { StoreError } from "./errors";
import { appendMessages, insertMessages } from "./message-rows";
import type { Runs } from "./ports";
import { addAnswer, readAnswers } from "./run-answers";
import { toRow } from "./run-rows";
import { changeStatus, refusal } from "./run-status";
import type { DB } from "./schema";
import { writeJson } from "./stored-json";
import type { MessageRow, RunEnd, RunRow } from "./types";

/** Runs looked up by one query. */
const batchSize = 500;

/** In lists, a row that cannot be read is left out and handed to `onBrokenRow`. */
export function openRuns(db: Kysely<DB>, onBrokenRow: (error: StoreError) => void): Runs {
  const readable = (records: readonly DB["run"][]): RunRow[] =>
    records.flatMap((record) => {
      try {
        return toRow(record);
      } catch (cause) {
        if (!(cause instanceof StoreError)) throw cause;
        onBrokenRow(cause);
        return [];
      }
    });
  const byTime = () => db.selectFrom("run").selectAll().orderBy("started_at").orderBy("id");
  return {
    create: (row) => beginRun(db, row, {}),
    begin: (row, start) => beginRun(db, row, start),
    async get(userId, id) {
      const record = await db
        .selectFrom("run")
        .selectAll()
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return record && toRow(record);
    },
    async many(ids) {
      const found: RunRow[] = [];
      for (let at = 0; at < ids.length; at += batchSize)
        found.push(
          ...readable(
            await byTime()
              .where("id", "in", ids.slice(at, at + batchSize))
              .execute(),
          ),
        );
      return found;
    },
    ofMessage: async (conversationId, messageId) =>
      readable(
        await byTime()
          .where("conversation_id", "=", conversationId)
          .where("message_id", "=", messageId)
          .execute(),
      ),
    withStatus: async (status) => readable(await byTime().where("status", "=", status).execute()),
    finish: (id, end, messages) =>
      db.transaction().execute(async (trx) => {
        const run = await storeEnd(trx, id, end, { ...end.result, messages: messages.length });
        await insertMessages(trx, run.conversation_id, run.user_id, messages);
        await followEnd(trx, run, end.endedAt, messages.at(-1));
      }),
    transition: (id, from, to, messages = []) =>
      db.transaction().execute(async (trx) => {
        const conversationId = await changeStatus(trx, id, from, to);
        await appendMessages(trx, conversationId, messages);
      }),
    addAnswer: (id, answer, known) => db.transaction().execute((trx) => addAnswer(trx, id, answer, known)),
    answers: (id) => readAnswers(db, id),
  };
}

/** In one statement: of two ends the second is a conflict. */
async function storeEnd(
  trx: Transaction<DB>,
  id: string,
  end: Parameters<Runs["finish"]>[1],
  result: RunEnd,
) {
  const run = await trx
    .updateTable("run")
    .set({
      status: end.status,
      ended_at: end.endedAt,
      result: writeJson(result),
      iterations: writeJson(end.iterations),
    })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .returning(["id", "conversation_id", "user_id", "parent_id"])
    .executeTakeFirst();
  if (!run) throw await refusal(trx, id, `Run ${id} has ended already.`);
  return run;
}

type EndedRun = Awaited<ReturnType<typeof storeEnd>>;

/** Moves the conversation's `updated_at` along, and its leaf to the last message. */
async function followEnd(trx: Transaction<DB>, run: EndedRun, at: number, last: MessageRow | undefined) {
  const { leaf_id: leaf } = await trx
    .updateTable("conversation")
    .set({ updated_at: at })
    .where("id", "=", run.conversation_id)
    .returning("leaf_id")
    .executeTakeFirstOrThrow();
  if (last && (await isLeafOfRun(trx, run, leaf)))
    await trx
      .updateTable("conversation")
      .set({ leaf_id: last.id })
      .where("id", "=", run.conversation_id)
      .execute();
}

/** False when the person has gone to another branch meanwhile: the end of a run must not take them back. */
async function isLeafOfRun(trx: Transaction<DB>, run: EndedRun, leaf: string | null): Promise<boolean> {
  if (leaf === null || leaf === run.parent_id) return true;
  const message = await trx
    .selectFrom("message")
    .select("run_id")
    .where("conversation_id", "=", run.conversation_id)
    .where("id", "=", leaf)
    .executeTakeFirst();
  return message?.run_id === run.id || isOnBranch(trx, run.conversation_id, run.parent_id, leaf);
}
