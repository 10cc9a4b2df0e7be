import { type Kysely, sql } from "kysely";
import { beginRun } from "./begin-run";
import type { TellOwner } from "./bus";
import type { Engine, EngineMembers } from "./engine";
import type { StoreError } from "./errors";
import { finishRun } from "./finish-run";
import { countCalls, listRuns } from "./list-runs";
import { appendMessages } from "./message-rows";
import type { Runs } from "./ports";
import { prepare } from "./prepare";
import { addAnswer, readAnswers } from "./run-answers";
import { setStep, takeUp } from "./run-options";
import { toRow } from "./run-rows";
import { changeStatus } from "./run-status";
import { sumUsage } from "./run-usage";
import type { DB } from "./schema";
import { SharedCommit } from "./shared-commit";
import { isShown } from "./shown";
import { readEach } from "./stored-json";
import type { RunRow } from "./types";

/** Runs looked up by one query. */
const batchSize = 500;
/** Runs of one conversation that wait. */
const maxWaiting = 100;
/** Forks of one run in other conversations that are listed. */
const maxForks = 100;

/**
 * In lists, a row that cannot be read is left out and handed to `onBrokenRow`. `tell` hears whose list of conversations has changed,
 * `tellDeliveries` that some were added for hooks.
 */
export function openRuns(
  { records: db, members, commitEarly }: Pick<Engine, "records" | "members" | "commitEarly">,
  {
    onBrokenRow,
    tell,
    tellDeliveries,
  }: { onBrokenRow: (error: StoreError) => void; tell: TellOwner; tellDeliveries: () => void },
): Runs {
  const readable = (records: readonly DB["run"][]): RunRow[] => readEach(records, toRow, onBrokenRow);
  const commits = new SharedCommit(db, commitEarly);
  const begin: Runs["begin"] = async (row, start, onCommitted) => {
    const owner = members.id;
    await commits.run((trx) => beginRun(trx, row, { ...start, owner }), onCommitted);
    tell(row.userId);
  };
  const every = () => db.selectFrom("run").selectAll().orderBy("started_at").orderBy("id");
  const byTime = () => every().where(isShown("run.conversation_id"));
  return {
    create: (row) => begin(row, {}),
    begin,
    async get(userId, id) {
      const [record] = await selectRun(db, { userId, id });
      return record && toRow(record);
    },
    async list(userId, page) {
      const { records, nextCursor } = await listRuns(db, userId, page);
      return { items: readable(records), nextCursor };
    },
    countCalls: (userId, since, most) => countCalls(db, userId, since, most),
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
    async ofMessages(messages) {
      if (messages.length === 0) return [];
      const conversationIds = messages.map(({ conversationId }) => conversationId);
      const messageIds = messages.map(({ messageId }) => messageId);
      return readable(
        await byTime()
          .where("conversation_id", "in", conversationIds)
          .where("message_id", "in", messageIds)
          .execute(),
      );
    },
    async withStatus(status) {
      // What a crash cut short is ended everywhere: who brings the conversation back finds no run that goes on for ever.
      const runs = status === "running" ? every() : byTime();
      return readable(await runs.where("status", "=", status).execute());
    },
    usageOf: (conversationId) => sumUsage(db, conversationId, onBrokenRow),
    takeOver: async () => readable(await takeOver(db, members)),
    async driven() {
      const rows = await running(db).select("id").where("owner_id", "=", members.id).execute();
      return rows.map(({ id }) => id);
    },
    async runningOf(of) {
      const found = byTime().where("status", "=", "running");
      const group =
        "userId" in of
          ? found.where("user_id", "=", of.userId)
          : found.where("conversation_id", "=", of.conversationId);
      return readable(await group.execute());
    },
    async stillRunning(ids) {
      const found: string[] = [];
      for (let at = 0; at < ids.length; at += batchSize) {
        const rows = await running(db)
          .select("id")
          .where("id", "in", ids.slice(at, at + batchSize))
          .execute();
        found.push(...rows.map(({ id }) => id));
      }
      return found;
    },
    async ownerOf(id) {
      const row = await running(db).select("owner_id").where("id", "=", id).executeTakeFirst();
      return row?.owner_id ?? undefined;
    },
    async finish(id, end, messages) {
      const owner = members.id;
      let ended = { userId: "", hasDeliveries: false };
      await commits.run(async (trx) => {
        ended = await finishRun(trx, owner, id, end, messages);
      });
      tell(ended.userId);
      if (ended.hasDeliveries) tellDeliveries();
    },
    async transition(id, from, to, messages = []) {
      const changed = await db.transaction().execute(async (trx) => {
        const run = await changeStatus(trx, id, from, to);
        await appendMessages(trx, run.conversationId, messages);
        return run;
      });
      tell(changed.userId);
    },
    waitingIn: async (conversationId) => readable(await selectWaiting(db, { conversationId })),
    takeUp: (run, gateway) => {
      const owner = members.id;
      return db.transaction().execute((trx) => takeUp(trx, owner, run, gateway));
    },
    setStep: (id, isOn) => db.transaction().execute((trx) => setStep(trx, id, isOn)),
    addAnswer: (id, answer, known) => db.transaction().execute((trx) => addAnswer(trx, id, answer, known)),
    answers: (id) => readAnswers(db, id),
  };
}

const running = (db: Kysely<DB>) => db.selectFrom("run").where("status", "=", "running");

/** Those of which a process has a call under way while they wait. */
const held = (db: Kysely<DB>) =>
  db.selectFrom("run").where("status", "=", "waiting").where("held_by", "is not", null);

/** One that has no owner is from an earlier version. */
async function takeOver(db: Kysely<DB>, { id, ended }: EngineMembers): Promise<DB["run"][]> {
  const owners = await running(db).select("owner_id").distinct().execute();
  const holders = await held(db).select("held_by").distinct().execute();
  const named = [...owners.map(({ owner_id }) => owner_id), ...holders.map(({ held_by }) => held_by)];
  const others = new Set(named.flatMap((one) => (one === null || one === id ? [] : one)));
  const gone = await ended([...others]);
  // Who answers them asks nobody else any more.
  if (gone.length > 0)
    await db
      .updateTable("run")
      .set({ held_by: null })
      .where("status", "=", "waiting")
      .where("held_by", "in", gone)
      .execute();
  if (gone.length === 0 && !owners.some(({ owner_id }) => owner_id === null)) return [];
  return db
    .updateTable("run")
    .set({ owner_id: id })
    .where("status", "=", "running")
    .where((eb) =>
      eb.or([eb("owner_id", "is", null), ...(gone.length > 0 ? [eb("owner_id", "in", gone)] : [])]),
    )
    .returningAll()
    .execute();
}

/** Of all conversations few wait: their index is taken, and not that of the conversation. */
const selectWaiting = prepare(["conversationId"], (db, { conversationId }: { conversationId: string }) =>
  db
    .selectFrom("run")
    .selectAll()
    .where("status", "=", "waiting")
    .where(sql<string>`conversation_id || ''`, "=", conversationId)
    .where(isShown("run.conversation_id"))
    .orderBy("started_at")
    .limit(maxWaiting),
);

const selectRun = prepare(["userId", "id"], (db, { userId, id }: { userId: string; id: string }) =>
  db
    .selectFrom("run")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where(isShown("run.conversation_id")),
);
