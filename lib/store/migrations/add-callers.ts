import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/**
 * By which API token a program has begun a run, and how the one call of an MCP client ended. Runs of before, and those of older
 * programs beside this one, have neither: they are in the list of all calls and in that of no client.
 */
export async function addCallers(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("run").addColumn("token_id", "text").execute();
  await db.schema.alterTable("run").addColumn("call_status", "text").execute();
  await db.schema
    .createIndex("run_of_token")
    .on("run")
    .columns(["user_id", "token_id", "started_at", "id"])
    .where("token_id", "is not", null)
    .execute();
}
