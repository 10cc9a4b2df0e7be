import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** With the columns that the passkeys of better-auth ask for, in our spelling, and `last_used_at`, which is ours. */
export async function createPasskey(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("account_passkey")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("public_key", "text", (col) => col.notNull())
    .addColumn("user_id", "text", (col) => col.notNull().references("account_user.id").onDelete("cascade"))
    // The library looks by it for whose passkey it is, and would take it from two people.
    .addColumn("credential_id", "text", (col) => col.notNull().unique())
    .addColumn("counter", "integer", (col) => col.notNull())
    .addColumn("device_type", "text", (col) => col.notNull())
    .addColumn("backed_up", "integer", (col) => col.notNull())
    .addColumn("transports", "text")
    .addColumn("created_at", "date", (col) => col.notNull())
    .addColumn("aaguid", "text")
    .addColumn("last_used_at", "bigint")
    .execute();
  await db.schema
    .createIndex("account_passkey_user_id_idx")
    .on("account_passkey")
    .column("user_id")
    .execute();
}
