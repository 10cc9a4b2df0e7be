import type { Kysely } from "kysely";
import { beginRun } from "./begin-run";
import { StoreError } from "./errors";
import { finishRun } from "./finish-run";
import { listRuns } from "./list-runs";
import { appendMessages } from "./message-rows";
import type { Runs } from "./ports";
import { prepare } from "./prepare";
import { addAnswer, readAnswers } from "./run-answers";
import { toRow } from "./run-rows";
import { changeStatus } from "./run-status";
import { setStep } from "./run-step";
import { sumUsage } from "./run-usage";
import type { DB } from "./schema";
import { SharedCommit } from "./shared-commit";
import { isShown } from "./shown";
import type { RunRow } from "./types";

/** Runs looked up by one query. */
const batchSize = 500;
/** Forks of one run in other conversations that are listed. */
const maxForks = 100;

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
  const commits = new SharedCommit(db);
  const every = () => db.selectFrom("run").selectAll().orderBy("started_at").orderBy("id");
  const byTime = () => every().where(isShown("run.conversation_id"));
  return {
    create: (row) => commits.run((trx) => beginRun(trx, row, {})),
    begin: (row, start) => commits.run((trx) => beginRun(trx, row, start)),
    async get(userId, id) {
      const [record] = await selectRun(db, { userId, id });
      return record && toRow(record);
    },
    async list(userId, page) {
      const { records, nextCursor } = await listRuns(db, userId, page);
      return { items: readable(records), nextCursor };
    },
    forksElsewhere: async ({ id, userId, conversationId }) =>
      readable(
        await byTime()
          .where("forked_from", "=", id)
          .where("user_id", "=", userId)
          .where("conversation_id", "!=", conversationId)
          .limit(maxForks)
          .execute(),
      ),
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
    async withStatus(status) {
      // What a crash cut short is ended everywhere: who brings the conversation back finds no run that goes on for ever.
      const runs = status === "running" ? every() : byTime();
      return readable(await runs.where("status", "=", status).execute());
    },
    usageOf: (conversationId) => sumUsage(db, conversationId, onBrokenRow),
    finish: (id, end, messages) => commits.run((trx) => finishRun(trx, id, end, messages)),
    transition: (id, from, to, messages = []) =>
      db.transaction().execute(async (trx) => {
        const conversationId = await changeStatus(trx, id, from, to);
        await appendMessages(trx, conversationId, messages);
      }),
    setStep: (id, isOn) => db.transaction().execute((trx) => setStep(trx, id, isOn)),
    addAnswer: (id, answer, known) => db.transaction().execute((trx) => addAnswer(trx, id, answer, known)),
    answers: (id) => readAnswers(db, id),
  };
}

const selectRun = prepare(["userId", "id"], (db, { userId, id }: { userId: string; id: string }) =>
  db
    .selectFrom("run")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where(isShown("run.conversation_id")),
);
