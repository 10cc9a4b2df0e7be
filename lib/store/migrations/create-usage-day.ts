import type { Kysely } from "kysely";
import type { DB } from "@/lib/store/schema";

/** What each person has used, by day: what was used stays used when the conversation is deleted. And what they may use. */
export async function createUsageDay(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("usage_day")
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("day", "text", (col) => col.notNull())
    .addColumn("tokens", "bigint", (col) => col.notNull())
    .addColumn("cost", "double precision", (col) => col.notNull())
    .addPrimaryKeyConstraint("usage_day_pk", ["user_id", "day"])
    .execute();
  await db.schema.createIndex("usage_day_day_idx").on("usage_day").column("day").execute();
  // Money is counted with the prices of everybody: nobody's own, which would change what their limit means.
  await db
    .updateTable("setting")
    .set({ user_id: "system" })
    .where("key", "=", "prices")
    .where("user_id", "=", "local")
    .execute();
  await db.deleteFrom("setting").where("key", "=", "prices").where("user_id", "<>", "system").execute();
  await db.schema.alterTable("account_user").addColumn("limits", "text").execute();
}
