import type { Kysely } from "kysely";
import type { Conversations } from "./conversation-ports";
import { deleteLogs } from "./delete-logs";
import type { RunLog } from "./ports";
import { isRemovable } from "./removable";
import type { DB } from "./schema";

type Deletion = Pick<
  Conversations,
  "hide" | "restore" | "hidden" | "deleteHidden" | "delete" | "deleteRemovable"
>;

/** How conversations are hidden, shown again, and deleted for ever. `log` is of the same store: logs go after their conversation. */
export function openDeletion(db: Kysely<DB>, log: RunLog): Deletion {
  const deleteIf = async (id: string, condition: (trx: Kysely<DB>) => Promise<boolean>) => {
    const isDeleted = await db.transaction().execute(async (trx) => {
      if (!(await condition(trx))) return false;
      await deleteRecords(trx, id);
      return true;
    });
    if (isDeleted) await deleteLogs(db, log);
    return isDeleted;
  };
  return {
    async hide(id, at) {
      const { numUpdatedRows } = await db
        .updateTable("conversation")
        .set({ deleted_at: at })
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
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

async function deleteRecords(db: Kysely<DB>, id: string): Promise<void> {
  await db
    .insertInto("deleted_run")
    .columns(["id"])
    .expression((eb) => eb.selectFrom("run").select("id").where("conversation_id", "=", id))
    .execute();
  await db.deleteFrom("conversation").where("id", "=", id).execute();
}
