import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

/**
 * A `tsvector` forgets positions after 16,383, and more than 256 of one gram: a long message is cut into parts of 1,024
 * words. Two parts that follow each other have 256 of them in common, in which a phrase is found that would else be cut.
 */
const [stride, overlap] = [768, 256];

/**
 * What `create-search.ts` says, with `tsvector` in place of FTS5. Scope tokens, which have a second colon, are in each part
 * of a message; its heads in the first.
 */
export async function createPostgresSearch(db: Kysely<DB>): Promise<void> {
  await sql`
    create table message_place (
      place bigint primary key,
      conversation_id text collate "C" not null,
      message_id text collate "C" not null,
      excerpt text,
      unique (conversation_id, message_id),
      foreign key (conversation_id, message_id) references message (conversation_id, id) on delete cascade
    )`.execute(db);
  await sql`
    create table message_fts (
      place bigint not null references message_place on delete cascade,
      part bigint not null,
      grams tsvector not null,
      heads tsvector not null,
      primary key (place, part)
    )`.execute(db);
  await sql`create index message_fts_tokens on message_fts using gin (grams, heads)`.execute(db);
  await sql`
    create view message_grams as
      select conversation_id, message_id, (place >> 12) << 10 as created_at, excerpt,
        null::text as grams, null::text as heads
      from message_place`.execute(db);
  await createTrigger(db);
  // Of SQLite's names, so that both engines have the same queries.
  await sql`
    create function instr(whole text, part text) returns integer language sql immutable strict parallel safe
      as 'select strpos(whole, part)'`.execute(db);
}

async function createTrigger(db: Kysely<DB>): Promise<void> {
  await sql`
    create function message_grams_insert() returns trigger language plpgsql as $$
    declare
      first_place bigint := (new.created_at >> 10) << 12;
      next_place bigint;
    begin
      select case
          when max(place) is null then first_place
          when max(place) & 4095 < 4095 then max(place) + 1
          else (select max(place) + 1 from message_place)
        end
        into next_place
        from message_place where place >= first_place and place < first_place + 4096;
      insert into message_place (place, conversation_id, message_id, excerpt)
        values (next_place, new.conversation_id, new.message_id, new.excerpt);
      insert into message_fts (place, part, grams, heads)
        with token as (
          select gram, gram like '%:%:%' as is_scope, n
          from unnest(string_to_array(new.grams, ' ')) with ordinality as each (gram, n)
        ),
        word as (
          select gram, row_number() over (order by n) - 1 as n, count(*) over () as total
          from token where not is_scope
        ),
        scope as (
          select coalesce(string_agg('''' || gram || ''' ', ''), '') as tokens from token where is_scope
        )
        select next_place, part,
          ((select tokens from scope) ||
            string_agg('''' || gram || ''':' || (n - part * ${sql.lit(stride)} + 1), ' '))::tsvector,
          case when part = 0 then array_to_tsvector(string_to_array(new.heads, ' ')) else '' end
        from word, lateral (values (n / ${sql.lit(stride)}), (n / ${sql.lit(stride)} - 1)) as parts (part)
        where part >= 0 and n - part * ${sql.lit(stride)} < ${sql.lit(stride + overlap)}
          and (part = 0 or total > part * ${sql.lit(stride)} + ${sql.lit(overlap)})
        group by part;
      return new;
    end
    $$`.execute(db);
  await sql`
    create trigger message_grams_insert instead of insert on message_grams
      for each row execute function message_grams_insert()`.execute(db);
}
