import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import type { SharePolicy, ShareSnapshot } from "@/lib/protocol/shares";
import { readCursor, toPage } from "./cursor";
import type { Shares } from "./kept-ports";
import type { ShareRow } from "./kept-types";
import type { DB } from "./schema";
import { isShown } from "./shown";
import { AnyValue, readJson, Snapshot, writeJson } from "./stored-json";

/** Created, id. */
const Key = z.tuple([z.number(), z.string()]);

const listed = [
  "id",
  "user_id",
  "conversation_id",
  "token_hash",
  "title",
  "created_at",
  "expires_at",
  "revoked_at",
  "views",
  "policy",
] as const;

export function openShares(db: Kysely<DB>): Shares {
  return {
    async create(row) {
      const { snapshot, ...rest } = row;
      await db
        .insertInto("share")
        .values({ ...toRecord(rest), snapshot: writeJson(snapshot) })
        .execute();
    },
    async list(userId, { limit, cursor }) {
      let query = db
        .selectFrom("share")
        .select(listed)
        .where("user_id", "=", userId)
        .where(isShown("share.conversation_id"))
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1);
      if (cursor !== undefined) {
        const key = readCursor(cursor, Key);
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("created_at", "id"), "<", tuple(...key)),
        );
      }
      return toPage(await query.execute(), limit, (row) => [row.created_at, row.id], toItem);
    },
    async get(userId, id) {
      const row = await db
        .selectFrom("share")
        .selectAll()
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .where(isShown("share.conversation_id"))
        .executeTakeFirst();
      return row && toRow(row);
    },
    async byToken(tokenHash) {
      const row = await db
        .selectFrom("share")
        .innerJoin("conversation as c", "c.id", "share.conversation_id")
        .selectAll("share")
        .select("c.deleted_at")
        .where("token_hash", "=", tokenHash)
        .executeTakeFirst();
      return row && toRow({ ...row, revoked_at: row.revoked_at ?? row.deleted_at });
    },
    async hasEnded(tokenHash) {
      const row = await db
        .selectFrom("ended_link")
        .select("token_hash")
        .where("token_hash", "=", tokenHash)
        .executeTakeFirst();
      return row !== undefined;
    },
    async revokeAll(at) {
      const createdAt = new Date(at).toISOString();
      const snapshot = writeJson({ title: "", createdAt, messages: [], runs: [] } satisfies ShareSnapshot);
      await db
        .updateTable("share")
        .set({ revoked_at: at, snapshot })
        .where("revoked_at", "is", null)
        .execute();
    },
    async countView(id) {
      await db
        .updateTable("share")
        .set((eb) => ({ views: eb("views", "+", 1) }))
        .where("id", "=", id)
        .execute();
    },
    async update(id, patch) {
      const changed = {
        ...(patch.title !== undefined && { title: patch.title }),
        ...(patch.expiresAt !== undefined && { expires_at: patch.expiresAt }),
        ...(patch.revokedAt !== undefined && { revoked_at: patch.revokedAt }),
        ...(patch.policy !== undefined && { policy: patch.policy && writeJson(patch.policy) }),
        ...(patch.snapshot !== undefined && { snapshot: writeJson(patch.snapshot) }),
      };
      if (Object.keys(changed).length === 0) return;
      // A copy that was made while the link was revoked must not come back.
      await db
        .updateTable("share")
        .set(changed)
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .execute();
    },
  };
}

type Listed = Omit<Selectable<DB["share"]>, "snapshot">;

const toItem = (row: Listed): Omit<ShareRow, "snapshot"> => ({
  id: row.id,
  userId: row.user_id,
  conversationId: row.conversation_id,
  tokenHash: row.token_hash,
  title: row.title,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  views: row.views,
  policy:
    row.policy === null ? null : readJson<SharePolicy>(`policy of share ${row.id}`, row.policy, AnyValue),
});

const toRow = (row: Selectable<DB["share"]>): ShareRow => ({
  ...toItem(row),
  snapshot: readJson(`share ${row.id}`, row.snapshot, Snapshot),
});

const toRecord = (row: Omit<ShareRow, "snapshot">): Listed => ({
  id: row.id,
  user_id: row.userId,
  conversation_id: row.conversationId,
  token_hash: row.tokenHash,
  title: row.title,
  created_at: row.createdAt,
  expires_at: row.expiresAt,
  revoked_at: row.revokedAt,
  views: row.views,
  policy: row.policy && writeJson(row.policy),
});

/** The links of one person, or of everybody, answer from now on as links that are over, for good. */
export async function endLinks(trx: Transaction<DB>, userId?: string): Promise<void> {
  await trx
    .insertInto("ended_link")
    .columns(["token_hash"])
    .expression((eb) => {
      const links = eb
        .selectFrom("share")
        .select("token_hash")
        .where("token_hash", "not in", eb.selectFrom("ended_link").select("token_hash"));
      return userId === undefined ? links : links.where("user_id", "=", userId);
    })
    .execute();
}
