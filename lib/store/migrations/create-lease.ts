import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";

/** Which process does what only one may do; with SQLite there is no other. */
export async function createLease(db: Kysely<DB>, _tell: unknown, dialect: Dialect): Promise<void> {
  if (dialect !== "postgres") return;
  await db.schema
    .createTable("lease")
    .addColumn("name", "text", (col) => col.primaryKey().notNull())
    .addColumn("owner", "text", (col) => col.notNull())
    .addColumn("until", sql`timestamptz`, (col) => col.notNull())
    .execute();
}
