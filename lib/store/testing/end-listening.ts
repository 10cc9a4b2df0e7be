import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Store } from "@/lib/store/ports";

const attempts = 200;
const pauseMs = 50;

/** Ends the session over which a store on PostgreSQL hears of changes, as soon as it has one; it opens another one. */
export async function endListening({ members, accounts }: Store): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = ${members.id} and query ~* '^(listen|select pg_notify)'`.execute(
      accounts.database.db,
    );
    if (rows.length === 1) return;
    await sleep(pauseMs);
  }
  throw new Error("There is no such session.");
}
