import { sql } from "kysely";
import type { Store } from "@/lib/store/ports";

/** Ends the session over which a store on PostgreSQL hears of changes; it opens another one. */
export async function endListening({ members, accounts }: Store): Promise<void> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = ${members.id} and query ~* '^(listen|select pg_notify)'`.execute(
    accounts.database.db,
  );
  if (rows.length !== 1) throw new Error(`There are ${rows.length} such sessions.`);
}
