import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Programs begin thousands of conversations a day: the list of their person is not read over for them, and the old ones are found. */
export async function addPrograms(db: Kysely<DB>): Promise<void> {
  await db.schema.dropIndex("conversation_listed").ifExists().execute();
  await db.schema
    .createIndex("conversation_in_list")
    .on("conversation")
    .columns(["user_id", "pinned", "updated_at", "id"])
    .where(sql.ref("archived_at"), "is", null)
    .where(sql.ref("deleted_at"), "is", null)
    .where(sql.ref("origin"), "is", null)
    .execute();
  await db.schema
    .createIndex("conversation_of_program")
    .on("conversation")
    .columns(["origin", "updated_at", "id"])
    .where(sql.ref("origin"), "is not", null)
    .execute();
}
