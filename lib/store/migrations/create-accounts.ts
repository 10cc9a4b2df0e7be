import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/**
 * People and what signs them in. The tables but the last have the columns that better-auth asks for, in our spelling; a
 * test of `lib/server/accounts` has it compare them.
 */
export async function createAccounts(db: Kysely<DB>): Promise<void> {
  await createUser(db);
  await createSession(db);
  await createCredential(db);
  await db.schema
    .createTable("account_verification")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("identifier", "text", (col) => col.notNull())
    .addColumn("value", "text", (col) => col.notNull())
    .addColumn("expires_at", "date", (col) => col.notNull())
    .addColumn("created_at", "date", (col) => col.notNull())
    .addColumn("updated_at", "date", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("account_verification_identifier_idx")
    .on("account_verification")
    .column("identifier")
    .execute();
  await db.schema
    .createTable("account_invitation")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("token_hash", "text", (col) => col.notNull().unique())
    .addColumn("email", "text")
    .addColumn("role", "text", (col) => col.notNull())
    .addColumn("invited_by", "text", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("expires_at", "bigint", (col) => col.notNull())
    .addColumn("used_at", "bigint")
    .addColumn("taken_by", "text")
    .execute();
}

async function createUser(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("account_user")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("email", "text", (col) => col.notNull().unique())
    .addColumn("email_verified", "integer", (col) => col.notNull())
    .addColumn("image", "text")
    .addColumn("created_at", "date", (col) => col.notNull())
    .addColumn("updated_at", "date", (col) => col.notNull())
    .addColumn("role", "text", (col) => col.notNull())
    .addColumn("disabled", "integer", (col) => col.notNull())
    // 1 for the first admin alone: of two who sign up at once, one becomes it.
    .addColumn("founder", "integer", (col) => col.unique())
    .addColumn("last_seen_at", "bigint")
    .execute();
}

async function createSession(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("account_session")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("expires_at", "date", (col) => col.notNull())
    .addColumn("token", "text", (col) => col.notNull().unique())
    .addColumn("created_at", "date", (col) => col.notNull())
    .addColumn("updated_at", "date", (col) => col.notNull())
    .addColumn("ip_address", "text")
    .addColumn("user_agent", "text")
    .addColumn("user_id", "text", (col) => col.notNull().references("account_user.id").onDelete("cascade"))
    .addColumn("last_seen_at", "bigint")
    .execute();
  await db.schema
    .createIndex("account_session_user_id_idx")
    .on("account_session")
    .column("user_id")
    .execute();
}

async function createCredential(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("account_credential")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("account_id", "text", (col) => col.notNull())
    .addColumn("provider_id", "text", (col) => col.notNull())
    .addColumn("user_id", "text", (col) => col.notNull().references("account_user.id").onDelete("cascade"))
    .addColumn("access_token", "text")
    .addColumn("refresh_token", "text")
    .addColumn("id_token", "text")
    .addColumn("access_token_expires_at", "date")
    .addColumn("refresh_token_expires_at", "date")
    .addColumn("scope", "text")
    .addColumn("password", "text")
    .addColumn("created_at", "date", (col) => col.notNull())
    .addColumn("updated_at", "date", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("account_credential_user_id_idx")
    .on("account_credential")
    .column("user_id")
    .execute();
}
