import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newestVersion } from "@/lib/store/migrations/migrate";

/** The version after this one. */
export const nextVersion = newestVersion() + 1;

const thing = `create table newer_thing (id text primary key, user_id text not null, body text);
  insert into newer_thing values ('a', 'ann', 'one'), ('b', 'ben', 'two');`;

/** Says that tables are of the next version. */
export const claimNext = (compatibleFrom: number): string =>
  `insert into schema_version (version, compatible_from) values (${nextVersion}, ${compatibleFrom})
    on conflict (version) do update set compatible_from = excluded.compatible_from`;

/**
 * For PostgreSQL, what a migration of the next version may do while instances of this one go on: each table has a column more, and there is
 * a table of its own, whose trigger tells of a topic of its own.
 */
export const expandTables = `
  do $$ declare it text; begin
    for it in select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace loop
      execute format('alter table %I add column newer text default ''new''', it);
    end loop;
  end $$;
  ${thing}
  create function tell_of_newer_thing() returns trigger language plpgsql as $$ begin
    perform pg_notify('meguri', json_build_array('newer', json_build_array('newer:things', new.id))::text);
    return null;
  end $$;
  create trigger tell_of_newer_thing after insert or update on newer_thing
    for each row execute function tell_of_newer_thing();
  ${claimNext(newestVersion())}`;

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
    db.exec(claimNext(newestVersion()));
    db.close();
  }
}
