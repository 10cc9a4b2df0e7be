import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Audit, AuditFilter, AuditRow } from "./account-ports";
import { readCursor, toPage } from "./cursor";
import type { Dialect } from "./engine";
import type { DB } from "./schema";

/** Time, id. */
const Key = z.tuple([z.number(), z.string()]);

/** Rows that one statement deletes: nobody waits for long. */
const deletedAtOnce = 1_000;

export function openAudit(db: Kysely<DB>, dialect: Dialect): Audit {
  // What words are found by tells no cases apart; `lower` would take SQLite twice as long.
  const like = dialect === "sqlite" ? sql`like` : sql`ilike`;
  return {
    async append({ id, at, userId, name, action, on, from, count }) {
      await db
        .insertInto("account_audit")
        .values({
          id,
          at,
          user_id: userId,
          user_name: name,
          action,
          done_to: on,
          address: from,
          times: count,
        })
        .execute();
    },
    async page({ limit, cursor, ...filter }) {
      let query = select(db, filter, like).limit(limit + 1);
      if (cursor !== undefined) {
        const key = readCursor(cursor, Key);
        query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("at", "id"), "<", tuple(...key)));
      }
      return toPage(await query.execute(), limit, ({ at, id }) => [at, id], toRow);
    },
    async deleteBefore(at) {
      for (;;) {
        const old = db.selectFrom("account_audit").select("id").where("at", "<", at).limit(deletedAtOnce);
        const { numDeletedRows } = await db
          .deleteFrom("account_audit")
          .where("id", "in", old)
          .executeTakeFirst();
        if (numDeletedRows < deletedAtOnce) return;
      }
    },
  };
}

function select(db: Kysely<DB>, { userId, group, since, words }: AuditFilter, like: RawBuilder<unknown>) {
  let query = db.selectFrom("account_audit").selectAll().orderBy("at", "desc").orderBy("id", "desc");
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  if (group !== undefined) query = query.where(sql<boolean>`action like ${`${group}.%`}`);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (words === undefined) return query;
  const pattern = `%${words.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return query.where(({ or }) =>
    or(
      (["user_name", "action", "done_to", "address"] as const).map(
        (column) => sql<boolean>`${sql.ref(column)} ${like} ${pattern} escape '\\'`,
      ),
    ),
  );
}

const toRow = (row: Selectable<DB["account_audit"]>): AuditRow => ({
  ...{ id: row.id, at: row.at, userId: row.user_id, name: row.user_name, action: row.action },
  ...{ on: row.done_to, from: row.address, count: row.times },
});
