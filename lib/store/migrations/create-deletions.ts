import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Whose data is still to be deleted, and links that are over although nothing of them is left. */
export async function createDeletions(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("deleted_person")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createTable("ended_link")
    .addColumn("token_hash", "text", (col) => col.primaryKey().notNull())
    .execute();
}
