import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";

/**
 * What instances keep in memory: whatever changes it tells the others in the same transaction, so that they hear of it after
 * the commit and never without. How a hint looks is said in `postgres-bus.ts`.
 */
const told = [
  {
    table: "setting",
    on: "insert or update or delete",
    change: "json_build_object('kind', 'setting', 'owner', it.user_id, 'key', it.key)",
  },
  {
    table: "account_user",
    on: "insert or update of role, disabled, limits or delete",
    change: "json_build_object('kind', 'person', 'id', it.id)",
  },
  {
    table: "account_session",
    on: "delete",
    change: "json_build_object('kind', 'session', 'id', it.id)",
  },
  { table: "api_token", on: "delete", change: "json_build_object('kind', 'session', 'id', it.id)" },
  {
    table: "usage_day",
    on: "insert or update",
    change: "json_build_object('kind', 'usage', 'id', it.user_id)",
  },
  {
    table: "mcp_approval",
    on: "insert or update or delete",
    change: "json_build_object('kind', 'servers')",
  },
  { table: "document", on: "insert or update or delete", change: "json_build_object('kind', 'servers')" },
];

/** Longer than a notification may be: then others look at everything. */
const maxBytes = 7_900;

export async function tellChanges(db: Kysely<DB>, _tell: unknown, dialect: Dialect): Promise<void> {
  if (dialect !== "postgres") return;
  await sql`
    create function tell_change(change text) returns void language plpgsql as $$
    declare
      sender text := current_setting('application_name');
      hint text := json_build_array(sender, json_build_array('config', change))::text;
    begin
      if octet_length(hint) > ${sql.lit(maxBytes)} then
        hint := json_build_array(sender, json_build_array('config', '{"kind": "everything"}'))::text;
      end if;
      perform pg_notify('meguri', hint);
    end
    $$`.execute(db);
  for (const { table, on, change } of told) {
    await sql
      .raw(
        `create function tell_of_${table}() returns trigger language plpgsql as $$
        declare it record;
        begin
          if tg_op = 'DELETE' then it := old; else it := new; end if;
          perform tell_change(${change}::text);
          return null;
        end
        $$`,
      )
      .execute(db);
    await sql
      .raw(
        `create trigger tell_of_${table} after ${on} on ${table}
        for each row execute function tell_of_${table}()`,
      )
      .execute(db);
  }
  await sql`
    create function tell_of_everything() returns trigger language plpgsql as $$
    begin
      perform tell_change('{"kind": "everything"}');
      return null;
    end
    $$`.execute(db);
  await sql`
    create trigger tell_of_everything after truncate on setting
      for each statement execute function tell_of_everything()`.execute(db);
}
