import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** How a program uses servers. Those of before have none: they reach what their scopes say. */
export async function addTokenOptions(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("api_token").addColumn("options", "text").execute();
}
