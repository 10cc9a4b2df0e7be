import { type ExpressionBuilder, type Kysely, type Selectable, sql } from "kysely";
import { z } from "zod";
import { mergeChoice } from "@/lib/protocol/choice";
import { mergeContext } from "@/lib/protocol/context-choice";
import type { RunOrigin, RunStatus } from "@/lib/protocol/http";
import { findNewestLeaf } from "./branch";
import type { ConversationFilter, Conversations } from "./conversation-ports";
import { readCursor, toPage } from "./cursor";
import { type DeletionShared, openDeletion } from "./delete-conversations";
import { giveTitle } from "./give-title";
import type { RunLog } from "./ports";
import { prepare, prepareInsert } from "./prepare";
import { openRemovable } from "./removable";
import type { Bit, DB } from "./schema";
import { isListed, isNotDeleted } from "./shown";
import { Choice, readJson, writeJson } from "./stored-json";
import type { ConversationListRow, ConversationRow, StoredChoice, StoredChoicePatch } from "./types";
import { keepConversation } from "./unlisted";

/** Pinned, updated, id. */
const Key = z.tuple([z.literal([0, 1]), z.number(), z.string()]);

/**
 * `log` and `branches` are of the same store: logs go after their conversation, and what is kept of it in memory goes with it.
 * `tell` hears whose list has changed.
 */
export function openConversations(db: Kysely<DB>, log: RunLog, shared: DeletionShared): Conversations {
  const { tell } = shared;
  return {
    ...openRemovable(db, log),
    ...openDeletion(db, log, shared),
    async create(row) {
      await insertConversation(db, row);
      tell(row.userId);
    },
    async list(userId, { limit, cursor, ...filter }) {
      let query = selectListed(db, userId, filter)
        .orderBy("c.pinned", "desc")
        .orderBy("c.updated_at", "desc")
        .orderBy("c.id", "desc")
        .limit(limit + 1);
      if (cursor !== undefined) {
        const key = readCursor(cursor, Key);
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("c.pinned", "c.updated_at", "c.id"), "<", tuple(...key)),
        );
      }
      const rows = await query.execute();
      return toPage(rows, limit, (row) => [row.pinned, row.updated_at, row.id], toRow);
    },
    async count(userId) {
      const [counts] = await countOf(db, { userId });
      return counts ?? { listed: 0, archived: 0 };
    },
    async get(userId, id) {
      const [row] = await selectOne(db, { userId, id });
      return row && toRow(row);
    },
    async update(id, { branch, choice, ...patch }) {
      const isKept = keeps(patch);
      const write = async (trx: Kysely<DB>) => {
        if (isKept) await keepConversation(trx, id);
        const leafId = branch === undefined ? undefined : await findNewestLeaf(trx, id, branch);
        const owner = await change(trx, id, { ...patch, ...(leafId !== undefined && { leafId }) });
        if (choice) await changeChoice(trx, id, choice);
        return owner;
      };
      const isPlain = branch === undefined && choice === undefined && !isKept;
      const owner = await (isPlain ? write(db) : db.transaction().execute(write));
      if (owner !== undefined) tell(owner);
    },
    async updateMany(userId, ids, patch) {
      const changed = toChanged(patch);
      if (ids.length === 0 || Object.keys(changed).length === 0) return [];
      const rows = await db
        .updateTable("conversation as c")
        .set(changed)
        .where("c.id", "in", ids)
        .where("c.user_id", "=", userId)
        .where(isNotDeleted)
        .where(isListed)
        .returning("id")
        .execute();
      if (rows.length > 0) tell(userId);
      return rows.map(({ id }) => id);
    },
    async giveTitle(id, title) {
      const owner = await db.transaction().execute((trx) => giveTitle(trx, id, title));
      if (owner !== undefined) tell(owner);
    },
  };
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
  "archived_at",
  "deleted_at",
  "read_only",
  "origin",
]);

type Patch = Omit<Parameters<Conversations["update"]>[1], "branch" | "choice">;

/** Who names it, pins it or puts it somewhere wants it to stay. */
const keeps = ({ title, pinned, archived, projectId }: Patch): boolean =>
  (title ?? pinned ?? archived ?? projectId) !== undefined;

/** Gives the owner where something was to be changed. */
async function change(db: Kysely<DB>, id: string, patch: Patch): Promise<string | undefined> {
  const changed = toChanged(patch);
  if (Object.keys(changed).length === 0) return undefined;
  const row = await db
    .updateTable("conversation")
    .set(changed)
    .where("id", "=", id)
    .returning("user_id")
    .executeTakeFirst();
  return row?.user_id;
}

const toChanged = (patch: Patch) => ({
  ...(patch.title !== undefined && { title: patch.title }),
  ...(patch.pinned !== undefined && { pinned: toBit(patch.pinned) }),
  ...(patch.archived !== undefined && { archived_at: patch.archived ? Date.now() : null }),
  ...(patch.leafId !== undefined && { leaf_id: patch.leafId }),
  ...(patch.projectId !== undefined && { project_id: patch.projectId }),
  ...(patch.updatedAt !== undefined && { updated_at: patch.updatedAt }),
});

/** Merges into what was chosen, inside a transaction: two who change different fields lose nothing. */
export async function changeChoice(
  trx: Kysely<DB>,
  id: string,
  { context, allowed, ...patch }: StoredChoicePatch,
): Promise<void> {
  const row = await trx
    .selectFrom("conversation")
    .select(["id", "choice"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) return;
  const before = row.choice === null ? null : parseChoice(row.id, row.choice);
  const next: StoredChoice = mergeChoice(before, patch);
  if (context) {
    const chosen = mergeContext(next.context, context);
    if (Object.keys(chosen).length > 0) next.context = chosen;
    else delete next.context;
  }
  if (allowed) next.allowed = [...new Set([...(before?.allowed ?? []), ...allowed])].slice(-maxAllowed);
  const choice = Object.keys(next).length > 0 ? writeJson(next) : null;
  await trx.updateTable("conversation").set({ choice }).where("id", "=", id).execute();
}

/** Tools of one session; the first ones are asked about again. */
const maxAllowed = 500;

const parseChoice = (id: string, choice: string): StoredChoice =>
  readJson<StoredChoice>(`choice of conversation ${id}`, choice, Choice);

function withLastRun(db: Kysely<DB>) {
  return db
    .selectFrom("conversation as c")
    .where(isNotDeleted)
    .leftJoin("run as r", (join) => join.on((eb) => eb("r.id", "=", newestRun(eb))))
    .select(["r.id as last_run_id", "r.status as last_run_status"]);
}

function selectListed(
  db: Kysely<DB>,
  userId: string,
  { projectId, pinned, archived, title }: ConversationFilter,
) {
  let query = withLastRun(db).select(withoutChoice).where("c.user_id", "=", userId).where(isListed);
  if (projectId !== undefined) query = query.where("c.project_id", "=", projectId);
  if (pinned !== undefined) query = query.where("c.pinned", "=", toBit(pinned));
  if (archived !== undefined) query = query.where("c.archived_at", archived ? "is not" : "is", null);
  // SQLite knows the cases of ASCII alone: any other letter is found as it was typed, or small.
  for (const word of title?.split(/\s+/).filter(Boolean).slice(0, maxTitleWords) ?? []) {
    const plain = word.normalize("NFKC").toLowerCase();
    query = query.where(sql<boolean>`(instr(lower(c.title), ${plain}) > 0 or instr(c.title, ${word}) > 0)`);
  }
  return query;
}

/** Of a title that is looked for. */
const maxTitleWords = 16;

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
  "c.archived_at",
  "c.read_only",
] as const;

const selectOne = prepare(["userId", "id"], (db, { userId, id }: { userId: string; id: string }) =>
  withLastRun(db).selectAll("c").where("c.id", "=", id).where("c.user_id", "=", userId),
);

const countOf = prepare(["userId"], (db, { userId }: { userId: string }) =>
  db
    .selectFrom("conversation as c")
    .select((eb) => [
      eb.fn.count<number>("c.id").filterWhere("c.archived_at", "is", null).as("listed"),
      eb.fn.count<number>("c.archived_at").as("archived"),
    ])
    .where("c.user_id", "=", userId)
    .where(isNotDeleted)
    .where(isListed),
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
  archived_at: row.archived ? row.updatedAt : null,
  deleted_at: null,
  read_only: row.readOnly ? 1 : null,
  origin: row.origin ?? null,
});

type Joined = Omit<Selectable<DB["conversation"]>, "choice" | "deleted_at" | "origin"> & {
  choice?: string | null;
  origin?: RunOrigin | null;
  last_run_id: string | null;
  last_run_status: RunStatus | null;
};

const toRow = (row: Joined): ConversationListRow => ({
  id: row.id,
  userId: row.user_id,
  title: row.title,
  leafId: row.leaf_id,
  pinned: row.pinned === 1,
  archived: row.archived_at !== null,
  projectId: row.project_id,
  ...(row.read_only === 1 && { readOnly: true as const }),
  ...(row.origin && { origin: row.origin }),
  ...(row.choice && { choice: parseChoice(row.id, row.choice) }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  lastRun:
    row.last_run_id === null || row.last_run_status === null
      ? null
      : { id: row.last_run_id, status: row.last_run_status },
});
