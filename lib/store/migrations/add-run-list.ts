import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

/**
 * The list of runs, forks that stand in another conversation than their origin, and conversations that are only to be looked at.
 * Forks before this version stand beside their origin, where they are found by their question.
 */
export async function addRunList(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("conversation").addColumn("read_only", "integer").execute();
  await db.schema.alterTable("run").addColumn("forked_from", "text").execute();
  await db.schema.createIndex("run_by_user").on("run").columns(["user_id", "started_at", "id"]).execute();
  await db.schema
    .createIndex("run_of_workflow")
    .on("run")
    .columns(["user_id", "started_at", "id"])
    .where(sql<boolean>`agent is not null`)
    .execute();
  await db.schema
    .createIndex("run_by_origin")
    .on("run")
    .column("forked_from")
    .where("forked_from", "is not", null)
    .execute();
}
