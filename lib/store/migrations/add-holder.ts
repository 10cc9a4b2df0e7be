import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Where a run that waits has a call under way. */
export async function addHolder(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("run").addColumn("held_by", "text").execute();
}
