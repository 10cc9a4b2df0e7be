import type { Kysely } from "kysely";
import { findNewestLeaf, isOnBranch, readBranch } from "./branch";
import type { BranchCache } from "./branch-cache";
import type { TellOwner } from "./bus";
import { appendMessages, findMessage, toRow } from "./message-rows";
import type { Messages } from "./ports";
import { prepare } from "./prepare";
import type { DB } from "./schema";

/** Parents looked up by one query. */
const batchSize = 500;

/** `tell` hears whose list has changed. */
export function openMessages(
  db: Kysely<DB>,
  { branches, tell }: { branches: BranchCache; tell: TellOwner },
): Messages {
  return {
    async append(conversationId, rows) {
      if (rows.length === 0) return;
      const owned = await db.transaction().execute((trx) => appendMessages(trx, conversationId, rows));
      if (owned) tell(owned.user_id);
    },
    get: (conversationId, id) => findMessage(db, conversationId, id),
    async findByClientId(userId, clientMessageId) {
      const [record] = await selectByClientId(db, { userId, clientMessageId });
      return record && toRow(record, record.conversation_id);
    },
    async branch(conversationId, leafId, page) {
      if (!page) return { rows: await branches.read(conversationId, leafId), hasMore: false };
      const { rows, hasMore } = await readBranch(db, conversationId, leafId, page);
      return { rows, hasMore };
    },
    async newest(conversationId, { since, limit }) {
      const records = await selectNewest(db, { conversationId, after: idAt(since), limit });
      return records.map((record) => toRow(record, conversationId)).reverse();
    },
    async children(conversationId, parentIds) {
      const found = new Map<string, string[]>();
      for (let at = 0; at < parentIds.length; at += batchSize) {
        const rows = await childrenOf(db, conversationId, parentIds.slice(at, at + batchSize));
        for (const { parent, id } of rows) {
          const siblings = found.get(parent ?? "") ?? [];
          siblings.push(id);
          found.set(parent ?? "", siblings);
        }
      }
      return found;
    },
    isOnBranch: (conversationId, leafId, id) => isOnBranch(db, conversationId, leafId, id),
    newestLeaf: (conversationId, id) => findNewestLeaf(db, conversationId, id),
  };
}

/** A question has its client id; what was said into a run has that with which it was queued. */
const selectByClientId = prepare(
  ["userId", "clientMessageId"],
  (db, { userId, clientMessageId }: { userId: string; clientMessageId: string }) =>
    db
      .selectFrom("message")
      .selectAll()
      .where("user_id", "=", userId)
      .where("client_message_id", "=", clientMessageId)
      .unionAll(
        db
          .selectFrom("queued_message as q")
          .innerJoin("message as m", (join) =>
            join.onRef("m.conversation_id", "=", "q.conversation_id").onRef("m.id", "=", "q.id"),
          )
          .selectAll("m")
          .where("q.user_id", "=", userId)
          .where("q.client_message_id", "=", clientMessageId),
      ),
);

/** Ids begin with the time at which they were made. */
const idAt = (ms: number): string => {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}`;
};

const selectNewest = prepare(
  ["conversationId", "after", "limit"],
  (db, { conversationId, after, limit }: { conversationId: string; after: string; limit: number }) =>
    db
      .selectFrom("message")
      .selectAll()
      .where("conversation_id", "=", conversationId)
      .where("id", ">=", after)
      .orderBy("id", "desc")
      .limit(limit),
);

function childrenOf(db: Kysely<DB>, conversationId: string, parentIds: readonly (string | null)[]) {
  const ids = parentIds.filter((id) => id !== null);
  return db
    .selectFrom("message")
    .select(["parent_id as parent", "id"])
    .where("conversation_id", "=", conversationId)
    .where((eb) =>
      eb.or([
        ...(ids.length > 0 ? [eb("parent_id", "in", ids)] : []),
        ...(ids.length < parentIds.length ? [eb("parent_id", "is", null)] : []),
      ]),
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}
