import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { newestVersion } from "@/lib/store/migrations/migrate";
import { migrations } from "@/lib/store/migrations/migrations";
import { postgresDialect } from "@/lib/store/postgres-dialect";
import { migrateBeside } from "@/lib/store/postgres-migrate";
import { openPool } from "@/lib/store/postgres-pool";
import type { DB } from "@/lib/store/schema";

/** This version, and the one after it. */
export const thisVersion = newestVersion();
export const nextVersion = thisVersion + 1;

const thing = `create table if not exists newer_thing (id text primary key, user_id text not null, body text);
  insert into newer_thing values ('a', 'ann', 'one'), ('b', 'ben', 'two') on conflict do nothing;`;

/** Says that tables are of the next version. */
export const claimNext = (compatibleFrom: number): string =>
  `insert into schema_version (version, compatible_from) values (${nextVersion}, ${compatibleFrom})
    on conflict (version) do update set compatible_from = excluded.compatible_from`;

/**
 * For PostgreSQL, what a migration of the next version may do while instances of this one go on: each table has a column more, and there is
 * a table of its own, whose trigger tells of a topic of its own.
 */
const expansion = `
  do $$ declare it text; begin
    for it in select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace loop
      execute format('alter table %I add column if not exists newer text default ''new''', it);
    end loop;
  end $$;
  ${thing}
  create or replace function tell_of_newer_thing() returns trigger language plpgsql as $$ begin
    perform pg_notify('meguri', json_build_array('newer', json_build_array('newer:things', new.id))::text);
    return null;
  end $$;
  create or replace trigger tell_of_newer_thing after insert or update on newer_thing
    for each row execute function tell_of_newer_thing();`;

export const expandTables = `${expansion} ${claimNext(thisVersion)}`;

/** Does that as a start of the next version does, with instances of this one on the database. */
export async function startNext(url: string, compatibleFrom = thisVersion): Promise<void> {
  const db = new Kysely<DB>({ dialect: postgresDialect(openPool(url)) });
  const up = async (trx: Kysely<DB>) => void (await sql.raw(expansion).execute(trx));
  const next = { version: nextVersion, area: "records", compatibleFrom, up } as const;
  await migrateBeside(db, "nobody", false, [...migrations, next]).finally(() => db.destroy());
}

/** The same for the files of a folder that nobody has open. */
export function expandFolder(dataDir: string): void {
  for (const file of ["meguri.db", "run-log.db"]) {
    const db = new DatabaseSync(join(dataDir, file));
    const tables = db
      .prepare(
        "select name from sqlite_schema where type = 'table' and name not like 'message_fts%' and name not like 'sqlite_%'",
      )
      .all();
    for (const { name } of tables) db.exec(`alter table "${name}" add column newer text default 'new'`);
    if (file === "meguri.db") db.exec(thing);
    db.exec(claimNext(thisVersion));
    db.close();
  }
}
