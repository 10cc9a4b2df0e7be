import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

/** What hooks are told. Hooks themselves are a setting of their person. */
export async function createHookDelivery(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("hook_delivery")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("hook_id", "text", (col) => col.notNull())
    .addColumn("event", "text", (col) => col.notNull())
    .addColumn("run_id", "text")
    .addColumn("conversation_id", "text", (col) => col.references("conversation.id").onDelete("cascade"))
    .addColumn("state", "text", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("attempts", "integer", (col) => col.notNull())
    .addColumn("next_at", "bigint")
    .addColumn("last", "text")
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on("hook_delivery");
  await index("hook_delivery_due")
    .columns(["next_at", "hook_id", "id"])
    .where(sql.ref("next_at"), "is not", null)
    .execute();
  await index("hook_delivery_of_hook").columns(["hook_id", "created_at", "id"]).execute();
  await index("hook_delivery_by_conversation").column("conversation_id").execute();
}
