import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Which process writes the logs that have no run yet: another one that starts leaves them alone. */
export async function addImporter(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("importing_run").addColumn("owner_id", "text").execute();
}
