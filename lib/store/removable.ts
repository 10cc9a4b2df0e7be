import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { Conversations, RemovableRow } from "./conversation-ports";
import type { RunLog } from "./ports";
import type { DB } from "./schema";
import { isNotDeleted } from "./shown";

/** What retention asks of conversations. */
export function openRemovable(
  db: Kysely<DB>,
  log: Pick<RunLog, "bytes">,
): Pick<Conversations, "removable" | "unkept" | "size"> {
  return {
    unkept: ({ until, limit }) =>
      selectRemovable(db)
        .where("c.origin", "=", "v1")
        .where("c.updated_at", "<=", until)
        .orderBy("c.updated_at")
        .orderBy("c.id")
        .limit(limit)
        .select(["c.id", "c.user_id as userId", "c.updated_at as updatedAt"])
        .execute(),
    removable(userId, { limit, changedBefore, after }) {
      let query = selectRemovable(db)
        .where("c.user_id", "=", userId)
        .where("c.updated_at", "<", changedBefore)
        .orderBy("c.updated_at")
        .orderBy("c.id")
        .limit(limit);
      query = query.where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("import_source as i")
              .select("i.source_id")
              .whereRef("i.conversation_id", "=", "c.id")
              .where("i.imported_at", ">=", changedBefore),
          ),
        ),
      );
      if (after)
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("c.updated_at", "c.id"), ">", tuple(after.updatedAt, after.id)),
        );
      return query.select(["c.id", "c.updated_at as updatedAt"]).execute();
    },
    async size(id) {
      const rows = await db
        .selectFrom("run")
        .select([
          "id",
          sql<number>`octet_length(options) + octet_length(iterations) + coalesce(octet_length(result), 0)`.as(
            "bytes",
          ),
        ])
        .where("conversation_id", "=", id)
        .execute();
      const sums = await Promise.all([
        sumOf(db.selectFrom("message").where("conversation_id", "=", id), "octet_length(body)"),
        sumOf(db.selectFrom("queued_message").where("conversation_id", "=", id), "octet_length(body)"),
        sumOf(db.selectFrom("attachment").where("conversation_id", "=", id), "size"),
        log.bytes(rows.map((row) => row.id)),
      ]);
      return [...rows.map(({ bytes }) => Number(bytes)), ...sums].reduce((sum, bytes) => sum + bytes, 0);
    },
  };
}

async function sumOf<Table extends keyof DB>(
  query: SelectQueryBuilder<DB, Table, object>,
  expression: string,
): Promise<number> {
  const { sum } = await query
    .select(sql<number>`coalesce(sum(${sql.raw(expression)}), 0)`.as("sum"))
    .executeTakeFirstOrThrow();
  return Number(sum);
}

/** The condition of everything that retention deletes: here and nowhere else. */
function selectRemovable(db: Kysely<DB>) {
  return db
    .selectFrom("conversation as c")
    .where(isNotDeleted)
    .where("c.pinned", "=", 0)
    .where("c.project_id", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("run as r")
            .select("r.id")
            .whereRef("r.conversation_id", "=", "c.id")
            .where("r.status", "in", ["running", "waiting"]),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("share as s")
            .select("s.id")
            .whereRef("s.conversation_id", "=", "c.id")
            .where("s.revoked_at", "is", null)
            .where(({ or, eb }) => or([eb("s.expires_at", "is", null), eb("s.expires_at", ">", Date.now())])),
        ),
      ),
    );
}

/** Whether it is still removable as it was listed. */
export async function isRemovable(
  db: Kysely<DB>,
  userId: string,
  { id, updatedAt }: RemovableRow,
): Promise<boolean> {
  const row = await selectRemovable(db)
    .select("c.id")
    .where("c.user_id", "=", userId)
    .where("c.id", "=", id)
    .where("c.updated_at", "=", updatedAt)
    .executeTakeFirst();
  return row !== undefined;
}
