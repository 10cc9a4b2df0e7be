import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";
import { indexMessages, toGrams } from "@/lib/store/search/index-messages";
import { createPostgresSearch } from "./create-postgres-search";

/** Keys read at once; what a row holds is read one at a time, as it can be of many megabytes. */
const pageSize = 500;

/**
 * The index for the search, which is written through the view `message_grams`. A message has a `place` in it that grows with its
 * time, so that the newest are found first without sorting what was found: seconds, and a number among those of the same
 * one; closer together the index is smaller. FTS5 keeps no text of its own; what `excerpt` is for says `index-messages.ts`.
 */
export async function createSearch(
  db: Kysely<DB>,
  tell: (state: () => string) => void,
  dialect: Dialect,
): Promise<void> {
  if (dialect === "postgres") return createPostgresSearch(db);
  await sql`
    create table message_place (
      place integer primary key not null,
      conversation_id text not null,
      message_id text not null,
      excerpt text,
      unique (conversation_id, message_id),
      foreign key (conversation_id, message_id) references message (conversation_id, id) on delete cascade
    )`.execute(db);
  // Tokens are cut at spaces alone: which characters make a word is decided in grams.ts, for every engine.
  await sql`
    create virtual table message_fts using fts5 (
      grams, heads, content = '', contentless_delete = 1,
      tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* P* S* Co'"
    )`.execute(db);
  // Its parts are joined four times as late: an import of 200 MB takes a sixth less CPU, a search looks into some more parts.
  await sql`insert into message_fts (message_fts, rank) values ('automerge', 16)`.execute(db);
  await sql`
    create view message_grams as
      select conversation_id, message_id, (place >> 12) << 10 as created_at, excerpt, null as grams, null as heads
      from message_place`.execute(db);
  await sql`
    create trigger message_grams_insert instead of insert on message_grams begin
      insert into message_place (place, conversation_id, message_id, excerpt) values (
        coalesce(
          (select case
              when max(place) is null then null
              when max(place) & 4095 < 4095 then max(place) + 1
              else (select max(place) + 1 from message_place)
            end
            from message_place
            where place >= (new.created_at >> 10) << 12 and place < ((new.created_at >> 10) + 1) << 12),
          (new.created_at >> 10) << 12
        ), new.conversation_id, new.message_id, new.excerpt);
      insert into message_fts (rowid, grams, heads) values (last_insert_rowid(), new.grams, new.heads);
    end`.execute(db);
  await sql`
    create trigger message_place_delete after delete on message_place begin
      delete from message_fts where rowid = old.place;
    end`.execute(db);
  await indexAll(db, tell);
}

/** Since then the tokens in the index begin with whose they are; each message stays in its place. */
export async function markSearch(
  db: Kysely<DB>,
  tell: (state: () => string) => void,
  dialect: Dialect,
): Promise<void> {
  if (dialect === "postgres") return;
  await sql`insert into message_fts (message_fts) values ('delete-all')`.execute(db);
  let indexed = 0;
  let after = "-1";
  for (;;) {
    const rows = await db
      .selectFrom("message_place")
      .select([sql<string>`cast(place as text)`.as("at"), "conversation_id", "message_id"])
      .where(sql<boolean>`place > ${BigInt(after)}`)
      .orderBy("place")
      .limit(pageSize)
      .execute();
    for (const { at, conversation_id, message_id } of rows) {
      after = at;
      const message = await messageOf(db, conversation_id, message_id).executeTakeFirst();
      // Whoever has edited the file by hand may have left a place without its message.
      const [found] = message ? toGrams(message) : [];
      if (found)
        await sql`insert into message_fts (rowid, grams, heads) values (${BigInt(at)}, ${found.grams}, ${found.heads})`.execute(
          db,
        );
    }
    indexed += rows.length;
    tell(() => `${indexed} messages indexed for the search`);
    await nextTurn();
    if (rows.length < pageSize) break;
  }
  await sql`insert into message_fts (message_fts) values ('optimize')`.execute(db);
}

const messageOf = (db: Kysely<DB>, conversation: string, id: string) =>
  db
    .selectFrom("message")
    .select(["conversation_id", "id", "user_id", "role", "created_at", "body"])
    .where("conversation_id", "=", conversation)
    .where("id", "=", id);

async function indexAll(db: Kysely<DB>, tell: (state: () => string) => void): Promise<void> {
  let indexed = 0;
  let after = { conversation_id: "", id: "" };
  for (;;) {
    const rows = await db
      .selectFrom("message")
      .select(["conversation_id", "id"])
      .where("role", "in", ["user", "assistant"])
      .where(sql<boolean>`(conversation_id, id) > (${after.conversation_id}, ${after.id})`)
      .orderBy("conversation_id")
      .orderBy("id")
      .limit(pageSize)
      .execute();
    for (const { conversation_id, id } of rows) {
      after = { conversation_id, id };
      await indexMessages(db, [await messageOf(db, conversation_id, id).executeTakeFirstOrThrow()]);
    }
    indexed += rows.length;
    tell(() => `${indexed} messages indexed for the search`);
    // Else the line is not printed.
    await nextTurn();
    if (rows.length < pageSize) break;
  }
  await sql`insert into message_fts (message_fts) values ('optimize')`.execute(db);
}
