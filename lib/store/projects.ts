import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import type { ProjectCounts, ProjectFields } from "@/lib/protocol/projects";
import { newestRun } from "./conversations";
import { readCursor, toPage } from "./cursor";
import { StoreError } from "./errors";
import type { Projects } from "./ports";
import type { DB } from "./schema";
import { ProjectBody, readJson, writeJson } from "./stored-json";
import type { ProjectListRow, ProjectRow } from "./types";

/** Created, id. */
const Key = z.tuple([z.number(), z.string()]);

export function openProjects(db: Kysely<DB>): Projects {
  return {
    add: ({ id, userId, createdAt, ...fields }, quota) =>
      db.transaction().execute(async (trx) => {
        const stored = toBody(fields);
        const { count, bytes } = await measure(trx, userId);
        if (count >= quota.count || bytes + stored.bytes > quota.bytes) return false;
        await trx
          .insertInto("project")
          .values({ id, user_id: userId, ...stored, created_at: createdAt })
          .execute();
        await takeFiles(trx, userId, id, fields.files);
        return true;
      }),
    async list(userId, { limit, cursor }) {
      let query = db
        .selectFrom("project")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1);
      if (cursor !== undefined) {
        const key = readCursor(cursor, Key);
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("created_at", "id"), "<", tuple(...key)),
        );
      }
      const page = toPage(await query.execute(), limit, (row) => [row.created_at, row.id], toRow);
      return { ...page, items: await withCounts(db, page.items) };
    },
    async get(userId, id) {
      const record = await select(db, userId, id);
      return record && toRow(record);
    },
    async getCounted(userId, id) {
      const record = await select(db, userId, id);
      return record && (await withCounts(db, [toRow(record)]))[0];
    },
    update: (userId, id, change, quota) =>
      db.transaction().execute(async (trx) => {
        const record = await select(trx, userId, id);
        if (!record) throw noSuchProject();
        const fields = change(toFields(record));
        const next = toBody(fields);
        const { bytes } = await measure(trx, userId);
        if (bytes - record.bytes + next.bytes > quota.bytes) return false;
        await trx.updateTable("project").set(next).where("id", "=", id).execute();
        return { dropped: await takeFiles(trx, userId, id, fields.files) };
      }),
    delete: (userId, id, conversations) =>
      db.transaction().execute(async (trx) => {
        if (!(await select(trx, userId, id))) throw noSuchProject();
        if (conversations === "none" && (await hasConversations(trx, id))) return false;
        const dropped = await takeFiles(trx, userId, id, []);
        await trx.deleteFrom("project").where("id", "=", id).execute();
        return { dropped };
      }),
  };
}

const noSuchProject = () => new StoreError("not_found", "There is no such project.");

const select = (db: Kysely<DB>, userId: string, id: string) =>
  db.selectFrom("project").selectAll().where("id", "=", id).where("user_id", "=", userId).executeTakeFirst();

/** These are its files from now on; gives the ids of those that it had beside them, whose rows are deleted. */
async function takeFiles(
  trx: Transaction<DB>,
  userId: string,
  id: string,
  files: readonly string[],
): Promise<string[]> {
  let others = trx.deleteFrom("attachment").where("project_id", "=", id);
  if (files.length > 0) others = others.where("id", "not in", files);
  const dropped = await others.returning("id").execute();
  if (files.length > 0) {
    const { numUpdatedRows } = await trx
      .updateTable("attachment")
      .set({ project_id: id })
      .where("id", "in", files)
      .where("user_id", "=", userId)
      .where("conversation_id", "is", null)
      .where((eb) => eb.or([eb("project_id", "is", null), eb("project_id", "=", id)]))
      .executeTakeFirst();
    if (Number(numUpdatedRows) !== files.length)
      throw new StoreError("not_found", "A file of this project is no longer there; add it again.");
  }
  return dropped.map((row) => row.id);
}

async function hasConversations(trx: Transaction<DB>, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom("conversation")
    .select("id")
    .where("project_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** What a user has by now. */
async function measure(trx: Transaction<DB>, userId: string): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await trx
    .selectFrom("project")
    .select(({ fn, lit }) => [
      fn.countAll<number>().as("count"),
      fn.coalesce(fn.sum<number>("bytes"), lit(0)).as("bytes"),
    ])
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return { count: Number(count), bytes: Number(bytes) };
}

async function withCounts(db: Kysely<DB>, rows: readonly ProjectRow[]): Promise<ProjectListRow[]> {
  if (rows.length === 0) return [];
  const found = await db
    .selectFrom("conversation as c")
    .leftJoin("run as r", (join) => join.on((eb) => eb("r.id", "=", newestRun(eb))))
    .where(
      "c.project_id",
      "in",
      rows.map(({ id }) => id),
    )
    .groupBy(["c.project_id", "r.status"])
    .select(({ fn }) => ["c.project_id", "r.status", fn.countAll<number>().as("count")])
    .execute();
  return rows.map((row) => {
    const counts: ProjectCounts = { all: 0, waiting: 0, failed: 0 };
    for (const { project_id, status, count } of found) {
      if (project_id !== row.id) continue;
      counts.all += Number(count);
      if (status === "waiting" || status === "failed") counts[status] += Number(count);
    }
    return { ...row, counts };
  });
}

function toBody(fields: ProjectFields): { body: string; bytes: number } {
  const body = writeJson(fields);
  return { body, bytes: Buffer.byteLength(body) };
}

const toFields = ({ id, body }: Selectable<DB["project"]>): ProjectFields =>
  readJson(`project ${id}`, body, ProjectBody);

const toRow = (record: Selectable<DB["project"]>): ProjectRow => ({
  ...toFields(record),
  id: record.id,
  userId: record.user_id,
  createdAt: record.created_at,
});
