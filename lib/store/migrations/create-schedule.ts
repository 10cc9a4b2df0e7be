import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

/**
 * What asks without a person: schedules, triggers (those with the hash of a token), the keys by which a trigger knows a call again,
 * and which of them a run was begun by, without a reference: the run stays when its schedule goes.
 */
export async function createSchedule(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("schedule")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("token_hash", "text", (col) => col.unique())
    .addColumn("body", "text", (col) => col.notNull())
    .addColumn("next_at", "bigint")
    .addColumn("last_run_id", "text")
    .addColumn("note", "text")
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("schedule_by_user")
    .on("schedule")
    .columns(["user_id", "created_at", "id"])
    .execute();
  await db.schema
    .createIndex("schedule_due")
    .on("schedule")
    .columns(["next_at", "id"])
    .where(sql.ref("next_at"), "is not", null)
    .execute();
  await db.schema
    .createTable("trigger_key")
    .addColumn("schedule_id", "text", (col) => col.notNull().references("schedule.id").onDelete("cascade"))
    .addColumn("key_hash", "text", (col) => col.notNull())
    .addColumn("run_id", "text", (col) => col.notNull())
    .addColumn("at", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("trigger_key_pk", ["schedule_id", "key_hash"])
    .execute();
  await db.schema.alterTable("run").addColumn("started_by", "text").execute();
  await db.schema
    .createIndex("run_without_person")
    .on("run")
    .columns(["user_id", "started_at", "id"])
    .where(sql.ref("started_by"), "is not", null)
    .execute();
  await db.schema
    .createIndex("run_of_schedule")
    .on("run")
    .columns(["started_by", "started_at", "id"])
    .where(sql.ref("started_by"), "is not", null)
    .execute();
}
