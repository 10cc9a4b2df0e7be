import type { Kysely, Selectable } from "kysely";
import type { Accounts, PersonRow } from "./account-ports";
import type { DB } from "./schema";

/** How the library names what is no identity of a provider. */
const password = "credential";

type Identities = Pick<Accounts, "byIdentity" | "link" | "isProven" | "hasPassword">;

export function openIdentities(
  db: Kysely<DB>,
  toPerson: (row: Selectable<DB["account_user"]>) => PersonRow,
): Identities {
  return {
    async byIdentity({ issuer, subject }) {
      const row = await db
        .selectFrom("account_user as u")
        .innerJoin("account_credential as c", "c.user_id", "u.id")
        .selectAll("u")
        .where("c.provider_id", "=", issuer)
        .where("c.account_id", "=", subject)
        .executeTakeFirst();
      return row && toPerson(row);
    },
    link: (userId, { id, issuer, subject }) =>
      db.transaction().execute(async (trx) => {
        const other = await trx
          .selectFrom("account_credential")
          .select("id")
          .where("user_id", "=", userId)
          .where("provider_id", "=", issuer)
          .executeTakeFirst();
        if (other) return undefined;
        const at = new Date().toISOString();
        await trx
          .insertInto("account_credential")
          .values({
            ...{ id, account_id: subject, provider_id: issuer, user_id: userId, password: null },
            ...{ access_token: null, refresh_token: null, id_token: null, scope: null },
            ...{ access_token_expires_at: null, refresh_token_expires_at: null },
            ...{ created_at: at, updated_at: at },
          })
          .execute();
        const [proven] = await trx
          .updateTable("account_user")
          .set({ email_verified: 1, updated_at: at })
          .where("id", "=", userId)
          .where("email_verified", "=", 0)
          .returning("id")
          .execute();
        if (!proven) return false;
        await trx
          .deleteFrom("account_credential")
          .where("user_id", "=", userId)
          .where("provider_id", "=", password)
          .execute();
        await trx.deleteFrom("account_passkey").where("user_id", "=", userId).execute();
        await trx.deleteFrom("account_verification").where("value", "=", userId).execute();
        await trx.deleteFrom("api_token").where("user_id", "=", userId).execute();
        // Addresses of triggers are as good as tokens, and a schedule asks with what the owner will have.
        await trx.deleteFrom("schedule").where("user_id", "=", userId).execute();
        // Secrets and sign-ins of MCP servers: what the owner asks for would go to accounts of somebody else.
        await trx.deleteFrom("setting").where("user_id", "=", userId).execute();
        await trx.deleteFrom("account_session").where("user_id", "=", userId).execute();
        return true;
      }),
    async isProven(userId) {
      const row = await db
        .selectFrom("account_user")
        .select("email_verified")
        .where("id", "=", userId)
        .executeTakeFirst();
      return row?.email_verified === 1;
    },
    async hasPassword(userId) {
      const row = await db
        .selectFrom("account_credential")
        .select("id")
        .where("user_id", "=", userId)
        .where("provider_id", "=", password)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
