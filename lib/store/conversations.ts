import type { ExpressionBuilder, Kysely, Selectable } from "kysely";
import { z } from "zod";
import { mergeChoice } from "@/lib/protocol/choice";
import type { ChoicePatch, ConversationChoice, RunStatus } from "@/lib/protocol/http";
import { findNewestLeaf } from "./branch";
import { readCursor, toPage } from "./cursor";
import { deleteLogs } from "./delete-logs";
import { giveTitle } from "./give-title";
import type { Conversations, RunLog } from "./ports";
import { prepare, prepareInsert } from "./prepare";
import { isRemovable, openRemovable } from "./removable";
import type { Bit, DB } from "./schema";
import { Choice, readJson, writeJson } from "./stored-json";
import type { ConversationListRow, ConversationRow } from "./types";

/** Pinned, updated, id. */
const Key = z.tuple([z.literal([0, 1]), z.number(), z.string()]);

/** `log` is of the same store: logs go after their conversation. */
export function openConversations(db: Kysely<DB>, log: RunLog): Conversations {
  return {
    ...openRemovable(db, log),
    create: (row) => insertConversation(db, row),
    async list(userId, { limit, cursor, projectId }) {
      let query = withLastRun(db)
        .select(withoutChoice)
        .where("c.user_id", "=", userId)
        .orderBy("c.pinned", "desc")
        .orderBy("c.updated_at", "desc")
        .orderBy("c.id", "desc")
        .limit(limit + 1);
      if (projectId !== undefined) query = query.where("c.project_id", "=", projectId);
      if (cursor !== undefined) {
        const key = readCursor(cursor, Key);
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("c.pinned", "c.updated_at", "c.id"), "<", tuple(...key)),
        );
      }
      const rows = await query.execute();
      return toPage(rows, limit, (row) => [row.pinned, row.updated_at, row.id], toRow);
    },
    async get(userId, id) {
      const [row] = await selectOne(db, { userId, id });
      return row && toRow(row);
    },
    async update(id, { branch, choice, ...patch }) {
      if (branch === undefined && choice === undefined) return change(db, id, patch);
      await db.transaction().execute(async (trx) => {
        const leafId = branch === undefined ? undefined : await findNewestLeaf(trx, id, branch);
        await change(trx, id, { ...patch, ...(leafId !== undefined && { leafId }) });
        if (choice) await changeChoice(trx, id, choice);
      });
    },
    giveTitle: (id, title) => db.transaction().execute((trx) => giveTitle(trx, id, title)),
    async delete(id) {
      await db.transaction().execute((trx) => deleteRecords(trx, id));
      await deleteLogs(db, log);
    },
    async deleteRemovable(userId, row) {
      const isDeleted = await db.transaction().execute(async (trx) => {
        if (!(await isRemovable(trx, userId, row))) return false;
        await deleteRecords(trx, row.id);
        return true;
      });
      if (isDeleted) await deleteLogs(db, log);
      return isDeleted;
    },
  };
}

async function deleteRecords(db: Kysely<DB>, id: string): Promise<void> {
  await db
    .insertInto("deleted_run")
    .columns(["id"])
    .expression((eb) => eb.selectFrom("run").select("id").where("conversation_id", "=", id))
    .execute();
  await db.deleteFrom("conversation").where("id", "=", id).execute();
}

export async function insertConversation(db: Kysely<DB>, row: ConversationRow): Promise<void> {
  await insertRecords(db, [toRecord(row)]);
}

const insertRecords = prepareInsert("conversation", [
  "id",
  "user_id",
  "title",
  "leaf_id",
  "pinned",
  "choice",
  "project_id",
  "created_at",
  "updated_at",
]);

async function change(
  db: Kysely<DB>,
  id: string,
  patch: Omit<Parameters<Conversations["update"]>[1], "branch" | "choice">,
): Promise<void> {
  const changed = {
    ...(patch.title !== undefined && { title: patch.title }),
    ...(patch.pinned !== undefined && { pinned: toBit(patch.pinned) }),
    ...(patch.leafId !== undefined && { leaf_id: patch.leafId }),
    ...(patch.projectId !== undefined && { project_id: patch.projectId }),
    ...(patch.updatedAt !== undefined && { updated_at: patch.updatedAt }),
  };
  if (Object.keys(changed).length === 0) return;
  await db.updateTable("conversation").set(changed).where("id", "=", id).execute();
}

/** Merges into what was chosen, inside a transaction: two who change different fields lose nothing. */
export async function changeChoice(trx: Kysely<DB>, id: string, patch: ChoicePatch): Promise<void> {
  const row = await trx
    .selectFrom("conversation")
    .select(["id", "choice"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) return;
  const next = mergeChoice(row.choice === null ? null : parseChoice(row.id, row.choice), patch);
  const choice = Object.keys(next).length > 0 ? writeJson(next) : null;
  await trx.updateTable("conversation").set({ choice }).where("id", "=", id).execute();
}

const parseChoice = (id: string, choice: string): ConversationChoice =>
  readJson<ConversationChoice>(`choice of conversation ${id}`, choice, Choice);

function withLastRun(db: Kysely<DB>) {
  return db
    .selectFrom("conversation as c")
    .leftJoin("run as r", (join) => join.on((eb) => eb("r.id", "=", newestRun(eb))))
    .select(["r.id as last_run_id", "r.status as last_run_status"]);
}

/** A list needs no choice, which may hold instructions of 100 KB. */
const withoutChoice = [
  "c.id",
  "c.user_id",
  "c.title",
  "c.leaf_id",
  "c.pinned",
  "c.project_id",
  "c.created_at",
  "c.updated_at",
] as const;

const selectOne = prepare(["userId", "id"], (db, { userId, id }: { userId: string; id: string }) =>
  withLastRun(db).selectAll("c").where("c.id", "=", id).where("c.user_id", "=", userId),
);

export const newestRun = (eb: ExpressionBuilder<DB & { c: DB["conversation"]; r: DB["run"] }, "c" | "r">) =>
  eb
    .selectFrom("run as n")
    .select("n.id")
    .whereRef("n.conversation_id", "=", "c.id")
    .orderBy("n.started_at", "desc")
    .orderBy("n.id", "desc")
    .limit(1);

const toBit = (value: boolean): Bit => (value ? 1 : 0);

const toRecord = (row: ConversationRow): DB["conversation"] => ({
  id: row.id,
  user_id: row.userId,
  title: row.title,
  leaf_id: row.leafId,
  pinned: toBit(row.pinned),
  choice: row.choice ? writeJson(row.choice) : null,
  project_id: row.projectId,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

type Joined = Omit<Selectable<DB["conversation"]>, "choice"> & {
  choice?: string | null;
  last_run_id: string | null;
  last_run_status: RunStatus | null;
};

const toRow = (row: Joined): ConversationListRow => ({
  id: row.id,
  userId: row.user_id,
  title: row.title,
  leafId: row.leaf_id,
  pinned: row.pinned === 1,
  projectId: row.project_id,
  ...(row.choice && { choice: parseChoice(row.id, row.choice) }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  lastRun:
    row.last_run_id === null || row.last_run_status === null
      ? null
      : { id: row.last_run_id, status: row.last_run_status },
});
