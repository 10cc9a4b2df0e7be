import type { Kysely, Transaction } from "kysely";
import type { ProjectCounts, ProjectFields } from "@/lib/protocol/projects";
import type { TellOwner } from "./bus";
import { newestRun } from "./conversations";
import { StoreError } from "./errors";
import type { Projects } from "./kept-ports";
import type { ProjectListRow, ProjectRow } from "./kept-types";
import { ownedBodies } from "./owned-bodies";
import type { DB } from "./schema";
import { isNotDeleted } from "./shown";
import { ProjectBody } from "./stored-json";

const bodies = ownedBodies<ProjectFields>("project", ProjectBody);

/** `tell` hears whose list has changed. */
export function openProjects(db: Kysely<DB>, tell: TellOwner): Projects {
  const write = async <Result>(userId: string, work: (trx: Transaction<DB>) => Promise<Result>) => {
    const result = await db.transaction().execute(work);
    if (result !== false) tell(userId);
    return result;
  };
  return {
    add: (row, quota) =>
      write(row.userId, async (trx) => {
        if (!(await bodies.add(trx, row, quota))) return false;
        await takeFiles(trx, row.userId, row.id, row.files);
        return true;
      }),
    async list(userId, request) {
      const page = await bodies.list(db, userId, request);
      return { ...page, items: await withCounts(db, page.items) };
    },
    get: (userId, id) => bodies.get(db, userId, id),
    async getCounted(userId, id) {
      const row = await bodies.get(db, userId, id);
      return row && (await withCounts(db, [row]))[0];
    },
    update: (userId, id, change, quota) =>
      write(userId, async (trx) => {
        const fields = await bodies.update(trx, { userId, id }, change, quota);
        if (fields === undefined) throw noSuchProject();
        return fields !== null && { dropped: await takeFiles(trx, userId, id, fields.files) };
      }),
    delete: (userId, id, conversations) =>
      write(userId, async (trx) => {
        if (!(await bodies.get(trx, userId, id))) throw noSuchProject();
        if (conversations === "none" && (await hasConversations(trx, id))) return false;
        const dropped = await takeFiles(trx, userId, id, []);
        await trx.deleteFrom("project").where("id", "=", id).execute();
        return { dropped };
      }),
  };
}

const noSuchProject = () => new StoreError("not_found", "There is no such project.");

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
    .selectFrom("conversation as c")
    .select("c.id")
    .where("c.project_id", "=", id)
    .where(isNotDeleted)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
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
    .where(isNotDeleted)
    .groupBy(["c.project_id", "r.status"])
    .select(({ fn }) => [
      "c.project_id",
      "r.status",
      fn.countAll<number>().as("count"),
      fn.count<number>("c.archived_at").as("archived"),
    ])
    .execute();
  return rows.map((row) => {
    const counts: ProjectCounts = { all: 0, archived: 0, waiting: 0, failed: 0 };
    for (const { project_id, status, count, archived } of found) {
      if (project_id !== row.id) continue;
      counts.all += Number(count);
      counts.archived += Number(archived);
      if (status === "waiting" || status === "failed") counts[status] += Number(count);
    }
    return { ...row, counts };
  });
}
