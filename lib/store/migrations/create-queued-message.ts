import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

export async function createQueuedMessage(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("queued_message")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("conversation_id", "text", (col) =>
      col.notNull().references("conversation.id").onDelete("cascade"),
    )
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("chain_id", "text", (col) => col.notNull())
    .addColumn("client_message_id", "text", (col) => col.notNull())
    .addColumn("kind", "text", (col) => col.notNull().check(sql`kind in ('next_turn', 'after')`))
    .addColumn("state", "text", (col) => col.notNull().check(sql`state in ('waiting', 'taken', 'delivered')`))
    .addColumn("position", "integer", (col) => col.notNull())
    .addColumn("run_id", "text")
    .addColumn("follows", "text")
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .execute();
  const index = (name: string, columns: ("chain_id" | "state" | "conversation_id")[]) =>
    db.schema.createIndex(name).on("queued_message").columns(columns).execute();
  await index("queued_message_by_chain", ["chain_id", "state"]);
  await index("queued_message_by_state", ["state", "chain_id"]);
  await index("queued_message_by_conversation", ["conversation_id", "state"]);
  await db.schema
    .createIndex("queued_message_by_client_id")
    .unique()
    .on("queued_message")
    .columns(["user_id", "client_message_id"])
    .execute();
  await db.schema
    .createIndex("queued_message_by_follows")
    .on("queued_message")
    .column("follows")
    .where("follows", "is not", null)
    .execute();
}
