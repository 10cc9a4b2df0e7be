import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Whose run it is: of several processes on one database each goes on with its own. */
export async function addOwner(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("run").addColumn("owner_id", "text").execute();
}
