import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

export async function createImports(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("import_source")
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("source", "text", (col) => col.notNull())
    .addColumn("source_id", "text", (col) => col.notNull())
    .addColumn("conversation_id", "text", (col) =>
      col.notNull().references("conversation.id").onDelete("cascade"),
    )
    .addColumn("hash", "text", (col) => col.notNull())
    .addColumn("imported_at", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("import_source_pk", ["user_id", "source", "source_id"])
    .execute();
  await db.schema
    .createIndex("import_source_by_conversation")
    .on("import_source")
    .column("conversation_id")
    .execute();
  // Runs whose log is written before their row is: the log may lie in another file, beyond the reach of a transaction.
  await db.schema
    .createTable("importing_run")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .execute();
}
