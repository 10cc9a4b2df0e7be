import type { Kysely } from "kysely";
import type { McpApprovals } from "./kept-ports";
import type { DB } from "./schema";

/** Owner of what the operator has approved for everybody. */
const operator = "";

export function openApprovals(db: Kysely<DB>): McpApprovals {
  return {
    async all() {
      const rows = await db
        .selectFrom("mcp_approval")
        .select(["name", "hash"])
        .where("owner_id", "=", operator)
        .execute();
      return new Map(rows.map(({ name, hash }) => [name, hash]));
    },
    async set(name, hash) {
      await db
        .insertInto("mcp_approval")
        .values({ owner_id: operator, name, hash })
        .onConflict((conflict) => conflict.columns(["owner_id", "name"]).doUpdateSet({ hash }))
        .execute();
    },
    async delete(name) {
      await db.deleteFrom("mcp_approval").where("owner_id", "=", operator).where("name", "=", name).execute();
    },
  };
}
