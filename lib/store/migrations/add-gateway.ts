import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/**
 * What other programs begin: their runs, the conversations that hold these, and the sessions of MCP clients. Without a reference to
 * a token: the launch token has no row.
 */
export async function addGateway(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("conversation").addColumn("origin", "text").execute();
  await db.schema.alterTable("run").addColumn("origin", "text").execute();
  await db.schema
    .createIndex("run_of_program")
    .on("run")
    .columns(["user_id", "origin", "started_at", "id"])
    .where("origin", "is not", null)
    .execute();
  await db.schema
    .createTable("gateway_session")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("token_id", "text")
    .addColumn("body", "text", (col) => col.notNull())
    .addColumn("conversation_id", "text")
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("last_seen_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("gateway_session_by_user")
    .on("gateway_session")
    .columns(["user_id", "last_seen_at"])
    .execute();
}
