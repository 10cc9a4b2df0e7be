import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Texts that all instances share; without a server of a database they are files. */
export async function createDocument(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("document")
    .addColumn("name", "text", (col) => col.primaryKey().notNull())
    .addColumn("text", "text", (col) => col.notNull())
    .addColumn("version", "integer", (col) => col.notNull())
    .addColumn("changed_at", "bigint", (col) => col.notNull())
    .execute();
}
