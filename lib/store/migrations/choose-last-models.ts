import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";

/**
 * Up to here each browser remembered one model for all conversations. An old conversation goes on with the model that answered
 * last in it, so that none moves to another provider by itself; the demo is no model that anybody has chosen.
 */
export async function chooseLastModels(db: Kysely<DB>, _tell: unknown, dialect: Dialect): Promise<void> {
  if (dialect === "postgres") return;
  await sql`
    update conversation set choice = json_set(coalesce(choice, '{}'), '$.model', last.model)
    from (
      select conversation_id, model, row_number() over
        (partition by conversation_id order by started_at desc, id desc) as place
      from run
    ) as last
    where last.conversation_id = conversation.id and last.place = 1 and last.model not like 'demo/%'
      and (choice is null or json_valid(choice))
  `.execute(db);
}
