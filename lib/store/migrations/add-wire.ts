import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** What went over the wire for turns that were recorded: as packed bytes, since they are seldom read. */
export async function addWire(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("wire_record")
    .addColumn("run", "integer", (col) => col.notNull())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("body", "blob", (col) => col.notNull())
    .addPrimaryKeyConstraint("wire_record_pk", ["run", "name"])
    .execute();
}
