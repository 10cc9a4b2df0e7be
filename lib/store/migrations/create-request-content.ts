import type { Kysely } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";
import { withoutRowIds } from "./create-tables";

/** What models were sent, each content once, and which runs name it: it goes with the last of them. */
export async function createRequestContent(db: Kysely<DB>, _tell: unknown, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable("request_content")
    .addColumn("hash", "text", (col) => col.primaryKey().notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .execute();
  await db.schema
    .createTable("run_content")
    .addColumn("run", "integer", (col) => col.notNull())
    .addColumn("hash", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("run_content_pk", ["run", "hash"])
    .modifyEnd(withoutRowIds(dialect))
    .execute();
  await db.schema.createIndex("run_content_by_hash").on("run_content").column("hash").execute();
}
