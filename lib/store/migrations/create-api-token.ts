import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Without a reference to a person: the one of `AUTH=local` has no row. */
export async function createApiToken(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("api_token")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("token_hash", "text", (col) => col.notNull().unique())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("start", "text", (col) => col.notNull())
    .addColumn("scopes", "text", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("last_used_at", "bigint")
    .execute();
  await db.schema.createIndex("api_token_by_user").on("api_token").column("user_id").execute();
}
