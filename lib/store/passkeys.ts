import type { Kysely, Selectable } from "kysely";
import type { PasskeyRow, Passkeys } from "./account-ports";
import type { DB } from "./schema";

export function openPasskeys(db: Kysely<DB>): Passkeys {
  return {
    async list(userId) {
      const rows = await db
        .selectFrom("account_passkey")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map(toRow);
    },
    async byCredential(credentialId) {
      const row = await db
        .selectFrom("account_passkey as p")
        .innerJoin("account_user as u", "u.id", "p.user_id")
        .selectAll("p")
        .select("u.email")
        .where("p.credential_id", "=", credentialId)
        .executeTakeFirst();
      return row && { ...toRow(row), email: row.email };
    },
    async delete(userId, id) {
      const row = await db
        .deleteFrom("account_passkey")
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .returningAll()
        .executeTakeFirst();
      return row && toRow(row);
    },
    async deleteAll(userId) {
      await db.deleteFrom("account_passkey").where("user_id", "=", userId).execute();
    },
    async noteUsed(id, at) {
      await db.updateTable("account_passkey").set({ last_used_at: at }).where("id", "=", id).execute();
    },
    async pendingChallenges() {
      const now = new Date().toISOString();
      await db.deleteFrom("account_verification").where("expires_at", "<=", now).execute();
      const { count } = await db
        .selectFrom("account_verification")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

const toRow = (row: Selectable<DB["account_passkey"]>): PasskeyRow => ({
  ...{ id: row.id, userId: row.user_id, name: row.name },
  createdAt: Date.parse(row.created_at),
  lastUsedAt: row.last_used_at,
});
