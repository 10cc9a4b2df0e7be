import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

/** When a conversation was put into the archive, and when it was deleted; null for most. */
export async function addArchivedAndDeleted(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("conversation").addColumn("archived_at", "bigint").execute();
  await db.schema.alterTable("conversation").addColumn("deleted_at", "bigint").execute();
  // The list of each start: a large archive must not be read over for it.
  await db.schema
    .createIndex("conversation_listed")
    .on("conversation")
    .columns(["user_id", "pinned", "updated_at", "id"])
    .where(sql.ref("archived_at"), "is", null)
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
  await db.schema
    .createIndex("conversation_by_deletion")
    .on("conversation")
    .column("deleted_at")
    .where(sql.ref("deleted_at"), "is not", null)
    .execute();
}
