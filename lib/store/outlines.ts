import type { Kysely, Transaction } from "kysely";
import { toRow as toAttachment } from "./attachments";
import type { Outlines } from "./kept-ports";
import { inOrder, toRow as toQueued } from "./queued-rows";
import { toRow as toRun } from "./run-rows";
import type { DB } from "./schema";
import { isListed, isNotDeleted, isShown } from "./shown";
import type { ConversationOutline } from "./types";

/** Conversations looked up by one query. */
const batchSize = 500;

export function openOutlines(db: Kysely<DB>): Outlines {
  return {
    of: (userId, id) => db.transaction().execute((trx) => readOutline(trx, userId, id)),
    async all(userId, ids) {
      const select = () =>
        db
          .selectFrom("conversation as c")
          .select(["c.id", "c.title", "c.updated_at as updatedAt"])
          .where("c.user_id", "=", userId)
          .where(isNotDeleted)
          .where(isListed)
          .orderBy("c.updated_at", "desc")
          .orderBy("c.id", "desc");
      if (!ids) return select().execute();
      const found = [];
      for (let at = 0; at < ids.length; at += batchSize)
        found.push(
          ...(await select()
            .where("c.id", "in", ids.slice(at, at + batchSize))
            .execute()),
        );
      return found;
    },
    async files(userId, ids) {
      let [count, bytes] = [0, 0];
      for (let at = 0; at < ids.length; at += batchSize) {
        const sum = await db
          .selectFrom("attachment")
          .select(({ fn, lit }) => [
            fn.countAll<number>().as("count"),
            fn.coalesce(fn.sum<number>("size"), lit(0)).as("bytes"),
          ])
          .where("user_id", "=", userId)
          .where("conversation_id", "in", ids.slice(at, at + batchSize))
          .where(isShown("attachment.conversation_id"))
          .executeTakeFirstOrThrow();
        count += Number(sum.count);
        bytes += Number(sum.bytes);
      }
      return { count, bytes };
    },
  };
}

async function readOutline(
  trx: Transaction<DB>,
  userId: string,
  id: string,
): Promise<ConversationOutline | undefined> {
  const found = await trx
    .selectFrom("conversation as c")
    .select("c.id")
    .where("c.id", "=", id)
    .where("c.user_id", "=", userId)
    .where(isNotDeleted)
    .executeTakeFirst();
  if (!found) return undefined;
  const messages = await trx
    .selectFrom("message")
    .select(["id", "parent_id as parentId"])
    .where("conversation_id", "=", id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const runs = trx.selectFrom("run").where("conversation_id", "=", id).orderBy("started_at").orderBy("id");
  const files = trx.selectFrom("attachment").selectAll().where("conversation_id", "=", id).orderBy("id");
  const queued = trx.selectFrom("queued_message").selectAll().where("conversation_id", "=", id);
  return {
    messages: parentsFirst(messages),
    runIds: (await runs.select("id").execute()).map((run) => run.id),
    unended: (await runs.selectAll().where("status", "in", ["running", "waiting"]).execute()).map(toRun),
    files: (await files.execute()).map(toAttachment),
    queued: inOrder(await queued.where("state", "!=", "delivered").orderBy("chain_id").execute()).map(
      toQueued,
    ),
  };
}

type Place = ConversationOutline["messages"][number];

/** As they came, but none before its parent: times of two may be equal, or those of another application. */
function parentsFirst(places: readonly Place[]): Place[] {
  const placed = new Set<string>();
  const held = new Map<string, Place[]>();
  const ordered: Place[] = [];
  const add = (first: Place): void => {
    const stack = [first];
    for (let next = stack.pop(); next; next = stack.pop()) {
      placed.add(next.id);
      ordered.push(next);
      stack.push(...(held.get(next.id) ?? []).toReversed());
      held.delete(next.id);
    }
  };
  for (const place of places) {
    const { parentId } = place;
    if (parentId === null || placed.has(parentId)) add(place);
    else held.set(parentId, [...(held.get(parentId) ?? []), place]);
  }
  return ordered;
}
