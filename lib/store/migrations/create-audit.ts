import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Who did what. No foreign key: it stays when the person goes. */
export async function createAudit(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("account_audit")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("user_id", "text")
    .addColumn("user_name", "text")
    .addColumn("action", "text", (col) => col.notNull())
    .addColumn("done_to", "text")
    .addColumn("address", "text")
    .addColumn("times", "integer", (col) => col.notNull())
    .execute();
  await db.schema.createIndex("account_audit_at").on("account_audit").columns(["at", "id"]).execute();
  await db.schema
    .createIndex("account_audit_user_id")
    .on("account_audit")
    .columns(["user_id", "at", "id"])
    .execute();
}
