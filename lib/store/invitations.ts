import type { Kysely } from "kysely";
import type { InvitationRow, Invitations } from "./account-ports";
import type { DB } from "./schema";

export function openInvitations(db: Kysely<DB>): Invitations {
  const withSender = () =>
    db
      .selectFrom("account_invitation as i")
      .innerJoin("account_user as u", "u.id", "i.invited_by")
      .selectAll("i")
      .select("u.name as from");
  return {
    add: (row, most) =>
      db.transaction().execute(async (trx) => {
        // Nobody asks for those that are over.
        await trx
          .deleteFrom("account_invitation")
          .where((eb) =>
            eb.or([
              eb("expires_at", "<=", row.createdAt),
              eb.and([eb("used_at", "is not", null), eb("taken_by", "is", null)]),
            ]),
          )
          .execute();
        const { count } = await trx
          .selectFrom("account_invitation")
          .select((eb) => eb.fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow();
        if (count >= most) return false;
        await trx
          .insertInto("account_invitation")
          .values({
            ...{ id: row.id, token_hash: row.tokenHash, email: row.email, role: row.role },
            ...{ invited_by: row.invitedBy, created_at: row.createdAt },
            ...{ expires_at: row.expiresAt, used_at: row.usedAt, taken_by: null },
          })
          .execute();
        return true;
      }),
    async list(now) {
      const rows = await withSender()
        .where("i.used_at", "is", null)
        .where("i.expires_at", ">", now)
        .orderBy("i.created_at", "desc")
        .orderBy("i.id", "desc")
        .execute();
      return rows.map(toRow);
    },
    async byToken(tokenHash) {
      const row = await withSender().where("i.token_hash", "=", tokenHash).executeTakeFirst();
      return row && toRow(row);
    },
    async claim(tokenHash, now, email) {
      const [taken] = await db
        .updateTable("account_invitation")
        .set({ used_at: now, taken_by: email })
        .where("token_hash", "=", tokenHash)
        .where("used_at", "is", null)
        .where("expires_at", ">", now)
        .returning("id")
        .execute();
      return taken !== undefined;
    },
    async release(tokenHash) {
      await db
        .updateTable("account_invitation")
        .set({ used_at: null, taken_by: null })
        .where("token_hash", "=", tokenHash)
        .execute();
    },
    async settle(tokenHash) {
      await db
        .updateTable("account_invitation")
        .set({ taken_by: null })
        .where("token_hash", "=", tokenHash)
        .execute();
    },
    async releaseUnfinished() {
      await db
        .updateTable("account_invitation")
        .set({ used_at: null, taken_by: null })
        .where("taken_by", "is not", null)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("account_user as u").select("u.id").whereRef("u.email", "=", "taken_by"))),
        )
        .execute();
    },
    async delete(id) {
      const gone = await db
        .deleteFrom("account_invitation")
        .where("id", "=", id)
        .where("used_at", "is", null)
        .returning("id")
        .execute();
      return gone.length > 0;
    },
  };
}

const toRow = (row: DB["account_invitation"] & { from: string }): InvitationRow & { from: string } => ({
  ...{ id: row.id, tokenHash: row.token_hash, email: row.email, role: row.role, from: row.from },
  ...{ invitedBy: row.invited_by, createdAt: row.created_at, expiresAt: row.expires_at, usedAt: row.used_at },
});
