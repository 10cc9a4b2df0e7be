import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import { z } from "zod";
import type { CallCount } from "@/lib/protocol/gateway";
import type { RunKind, RunOrigin } from "@/lib/protocol/http";
import { readCursor, toPage } from "./cursor";
import type { RunFilter } from "./ports";
import type { DB } from "./schema";
import { isShown } from "./shown";
import type { PageRequest } from "./types";

/** Started, id. */
const Key = z.tuple([z.number(), z.string()]);

/** Newest first. A conversation, a token, a status that few runs have and a kind have an index each. */
export async function listRuns(
  db: Kysely<DB>,
  userId: string,
  page: PageRequest & RunFilter,
): Promise<{ records: DB["run"][]; nextCursor: string | null }> {
  const rows = await selectRuns(db, userId, page).execute();
  const { items, nextCursor } = toPage(
    rows,
    page.limit,
    (row) => [row.started_at, row.id],
    (row) => row,
  );
  return { records: items, nextCursor };
}

export function selectRuns(
  db: Kysely<DB>,
  userId: string,
  { limit, cursor, status, kind, conversationId, schedule, tokenId }: PageRequest & RunFilter,
): SelectQueryBuilder<DB, "run", DB["run"]> {
  // Without numbers of rows the planner takes the index of the person, whose runs are many more than those of a conversation.
  const isNarrow = conversationId !== undefined || status !== undefined || schedule !== undefined;
  let query = db
    .selectFrom("run")
    .selectAll()
    .where(isNarrow ? sql<string>`user_id || ''` : "user_id", "=", userId)
    .where(isShown("run.conversation_id"))
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (conversationId !== undefined) query = query.where("conversation_id", "=", conversationId);
  if (status !== undefined) query = query.where("status", "=", status);
  if (kind === "gateway" || kind === "v1") query = query.where("origin", "=", kind);
  else if (kind === "schedule") query = query.where("started_by", "is not", null);
  else if (kind !== undefined) query = ofPeople(query, kind);
  if (schedule !== undefined) query = query.where("started_by", "=", schedule);
  if (tokenId !== undefined) query = query.where("token_id", "=", tokenId);
  if (cursor === undefined) return query;
  const key = readCursor(cursor, Key);
  return query.where(({ eb, refTuple, tuple }) => eb(refTuple("started_at", "id"), "<", tuple(...key)));
}

/** A call that waited for a person goes on in another run; the one that asked has ended for that reason. */
export async function countCalls(
  db: Kysely<DB>,
  userId: string,
  since: number,
  most: number,
): Promise<{ counts: CallCount[]; isWhole: boolean }> {
  const rows = await db
    .selectFrom(
      db
        .selectFrom("run")
        .select(["token_id", "started_at", "continues", "call_status", "result"])
        .where("user_id", "=", userId)
        .where("origin", "=", "gateway")
        .where("started_at", ">=", since)
        .where(isShown("run.conversation_id"))
        .orderBy("started_at", "desc")
        .limit(most)
        .as("call"),
    )
    .select(({ fn, ref }) => [
      ref("token_id").as("tokenId"),
      fn.countAll<number>().as("runs"),
      fn.count<number>(sql`case when continues is null then 1 end`).as("calls"),
      fn.count<number>(sql`case when result like '%"stopReason":"awaiting_%' then 1 end`).as("asked"),
      fn.count<number>(sql`case when call_status = 'denied' then 1 end`).as("denied"),
    ])
    .groupBy("token_id")
    .orderBy(({ fn }) => fn.max("started_at"), "desc")
    .execute();
  const counts = rows.map(({ tokenId, calls, asked, denied }) => ({ tokenId, calls, asked, denied }));
  return { counts, isWhole: rows.reduce((sum, { runs }) => sum + runs, 0) < most };
}

type Selection = SelectQueryBuilder<DB, "run", DB["run"]>;

const ofPeople = (query: Selection, kind: Exclude<RunKind, RunOrigin | "schedule">): Selection =>
  query
    .where("agent", kind === "chat" ? "is" : "is not", null)
    .where("origin", "is", null)
    .where("started_by", "is", null);
