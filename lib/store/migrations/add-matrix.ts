import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

/** Cells name runs without a reference: a conversation that is deleted takes its runs along, and the cell says so. */
export async function addMatrix(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("matrix")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("tape", "text", (col) => col.notNull())
    .addColumn("budget", "text", (col) => col.notNull())
    .addColumn("unpriced", "integer", (col) => col.notNull().check(sql`unpriced in (0, 1)`))
    .addColumn("state", "text", (col) =>
      col.notNull().check(sql`state in ('open', 'stopping', 'stopped', 'ended')`),
    )
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("matrix_by_user")
    .on("matrix")
    .columns(["user_id", "created_at", "id"])
    .execute();
  await db.schema
    .createTable("matrix_cell")
    .addColumn("matrix_id", "text", (col) => col.notNull().references("matrix.id").onDelete("cascade"))
    .addColumn("position", "integer", (col) => col.notNull())
    .addColumn("run_id", "text", (col) => col.notNull())
    .addColumn("model", "text", (col) => col.notNull())
    .addColumn("result", "text")
    .addColumn("error", "text")
    .addPrimaryKeyConstraint("matrix_cell_pk", ["matrix_id", "position"])
    .execute();
}
