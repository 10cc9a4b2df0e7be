import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";

/** What one process asks of another; with SQLite there is no other. */
export async function createRunCommand(db: Kysely<DB>, _tell: unknown, dialect: Dialect): Promise<void> {
  if (dialect !== "postgres") return;
  await db.schema
    .createTable("run_command")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("run_id", "text", (col) => col.notNull())
    .addColumn("owner_id", "text", (col) => col.notNull())
    .addColumn("asker_id", "text", (col) => col.notNull())
    .addColumn("kind", "text", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("done_at", "bigint")
    .addColumn("outcome", "text")
    .execute();
  await sql`create index run_command_open on run_command (run_id) where done_at is null`.execute(db);
}
