import { type Kysely, sql } from "kysely";
import { noSuchMessage, toRow } from "./message-rows";
import { prepare } from "./prepare";
import type { DB } from "./schema";
import type { MessageRow } from "./types";

/** Longest branch that is read without a limit. */
const maxBranch = 100_000;

/**
 * The messages from `leafId` (or from the parent of `before`) up towards the root, oldest first. `length`: characters of their
 * stored bodies.
 */
export async function readBranch(
  db: Kysely<DB>,
  conversationId: string,
  leafId: string,
  { limit = maxBranch, before }: { limit?: number; before?: string } = {},
): Promise<{ rows: MessageRow[]; hasMore: boolean; length: number }> {
  const start = before ?? leafId;
  const skipped = before === undefined ? 0 : 1;
  const most = limit + skipped;
  const records = await selectBranch(db, { conversationId, id: start, most });
  if (records.length === 0) throw noSuchMessage(conversationId, start);
  // Sorted here: in SQL the bodies would be copied through a sorter.
  records.sort((a, b) => a.depth - b.depth);
  const page = records.slice(skipped, skipped + limit);
  return {
    rows: page.map((record) => toRow(record, conversationId)).reverse(),
    hasMore: records.length > skipped + limit,
    length: page.reduce((sum, { body }) => sum + body.length, 0),
  };
}

/** What `toRow` reads: of a long branch every column counts. */
const columns = [
  "message.id",
  "message.parent_id",
  "message.role",
  "message.run_id",
  "message.model",
  "message.client_message_id",
  "message.created_at",
  "message.body",
] as const;

const selectBranch = prepare(["conversationId", "id", "most"], (db, path: Path) =>
  ancestors(db, path)
    .selectFrom("path")
    // SQLite keeps the order of a cross join; it would otherwise read the whole conversation and look into the path.
    .crossJoin("message")
    .whereRef("message.id", "=", "path.id")
    .where("message.conversation_id", "=", path.conversationId)
    .select([...columns, "path.depth"]),
);

/** Whether `id` is `leafId` or an ancestor of it. */
export async function isOnBranch(
  db: Kysely<DB>,
  conversationId: string,
  leafId: string,
  id: string,
): Promise<boolean> {
  const found = await ancestors(db, { conversationId, id: leafId, most: maxBranch })
    .selectFrom("path")
    .select("path.id")
    .where("path.id", "=", id)
    .executeTakeFirst();
  return found !== undefined;
}

/** The last message that is reached from `id` by always taking the newest child. */
export async function findNewestLeaf(db: Kysely<DB>, conversationId: string, id: string): Promise<string> {
  const rows = await db
    .withRecursive("path(id, depth)", (cte) =>
      cte
        .selectFrom("message")
        .select((eb) => [eb.ref("id").as("id"), sql<number>`0`.as("depth")])
        .where("conversation_id", "=", conversationId)
        .where("id", "=", id)
        .$castTo<{ id: string | null; depth: number }>()
        .unionAll(
          cte
            .selectFrom("path")
            .select((eb) => [
              eb
                .selectFrom("message as child")
                .select("child.id")
                .where("child.conversation_id", "=", conversationId)
                .whereRef("child.parent_id", "=", "path.id")
                .orderBy("child.created_at", "desc")
                .orderBy("child.id", "desc")
                .limit(1)
                .as("id"),
              sql<number>`path.depth + 1`.as("depth"),
            ])
            .where("path.id", "is not", null)
            .where("path.depth", "<", maxBranch),
        ),
    )
    .selectFrom("path")
    .select("path.id")
    .where("path.id", "is not", null)
    .orderBy("path.depth", "desc")
    .limit(1)
    .execute();
  const leaf = rows[0]?.id;
  if (!leaf) throw noSuchMessage(conversationId, id);
  return leaf;
}

interface Path {
  conversationId: string;
  id: string;
  /** The greatest depth. */
  most: number;
}

/** A query over `path`: `id` with depth 0, its parent with 1 and so on. */
function ancestors(db: Kysely<DB>, { conversationId, id, most }: Path) {
  return db.withRecursive("path(id, parent_id, depth)", (cte) =>
    cte
      .selectFrom("message")
      .select(["id", "parent_id", sql<number>`0`.as("depth")])
      .where("conversation_id", "=", conversationId)
      .where("id", "=", id)
      .unionAll(
        cte
          .selectFrom("path")
          .innerJoin("message as parent", "parent.id", "path.parent_id")
          .select(["parent.id", "parent.parent_id", sql<number>`path.depth + 1`.as("depth")])
          .where("parent.conversation_id", "=", conversationId)
          .where("path.depth", "<", most),
      ),
  );
}
