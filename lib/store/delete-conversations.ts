import type { Kysely } from "kysely";
import type { BranchCache } from "./branch-cache";
import type { TellOwner } from "./bus";
import type { Conversations } from "./conversation-ports";
import { deleteLogs } from "./delete-logs";
import type { RunLog } from "./ports";
import { isRemovable } from "./removable";
import type { DB } from "./schema";

type Deletion = Pick<
  Conversations,
  "hide" | "restore" | "hidden" | "deleteHidden" | "delete" | "deleteRemovable"
>;

export interface DeletionShared {
  branches: BranchCache;
  /** Hears whose list has changed. */
  tell: TellOwner;
}

/**
 * How conversations are hidden, shown again, and deleted for ever. `log` and `branches` are of the same store: logs go after their
 * conversation.
 */
export function openDeletion(db: Kysely<DB>, log: RunLog, { branches, tell }: DeletionShared): Deletion {
  const deleteIf = async (id: string, condition: (trx: Kysely<DB>) => Promise<boolean>) => {
    const deleted = await db
      .transaction()
      .execute(async (trx) => (await condition(trx)) && { shownTo: await deleteRecords(trx, id) });
    if (!deleted) return false;
    branches.forget(id);
    if (deleted.shownTo !== undefined) tell(deleted.shownTo);
    await deleteLogs(db, log);
    return true;
  };
  return {
    async hide(id, at) {
      const hidden = await db
        .updateTable("conversation")
        .set({ deleted_at: at })
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .returning("user_id")
        .executeTakeFirst();
      if (hidden) tell(hidden.user_id);
      return hidden !== undefined;
    },
    async restore(userId, ids, since) {
      if (ids.length === 0) return [];
      const rows = await db
        .updateTable("conversation")
        .set({ deleted_at: null })
        .where("id", "in", ids)
        .where("user_id", "=", userId)
        .where((eb) => eb.or([eb("deleted_at", "is", null), eb("deleted_at", ">", since)]))
        .returning("id")
        .execute();
      if (rows.length > 0) tell(userId);
      return rows.map(({ id }) => id);
    },
    async hidden({ until, limit }) {
      const rows = await db
        .selectFrom("conversation")
        .select("id")
        .where("deleted_at", "<=", until)
        .orderBy("deleted_at")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    deleteHidden: (id, until) =>
      deleteIf(id, async (trx) => {
        const row = await trx
          .selectFrom("conversation")
          .select("id")
          .where("id", "=", id)
          .where("deleted_at", "<=", until)
          .executeTakeFirst();
        return row !== undefined;
      }),
    async delete(id) {
      await deleteIf(id, async () => true);
    },
    deleteRemovable: (userId, row) => deleteIf(row.id, (trx) => isRemovable(trx, userId, row)),
  };
}

/** Gives the owner of one that was not hidden. */
async function deleteRecords(db: Kysely<DB>, id: string): Promise<string | undefined> {
  await db
    .insertInto("deleted_run")
    .columns(["id"])
    .expression((eb) => eb.selectFrom("run").select("id").where("conversation_id", "=", id))
    .execute();
  const row = await db
    .deleteFrom("conversation")
    .where("id", "=", id)
    .returning(["user_id", "deleted_at"])
    .executeTakeFirst();
  return row?.deleted_at === null ? row.user_id : undefined;
}
