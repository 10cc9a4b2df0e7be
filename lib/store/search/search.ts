import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, type SqlBool, sql } from "kysely";
import { z } from "zod";
import { readCursor, toPage } from "@/lib/store/cursor";
import type { Dialect } from "@/lib/store/engine";
import type { FoundMessage, Search, SearchFilter } from "@/lib/store/kept-ports";
import type { DB } from "@/lib/store/schema";
import { isNotDeleted } from "@/lib/store/shown";
import type { PageRequest } from "@/lib/store/types";
import { readText } from "./index-messages";
import { parseQuery, type SearchQuery, scopeToken, toMatch } from "./search-query";
import { type Place, selectByFts5, selectByTsvector } from "./select-places";
import { snippetOf } from "./snippet";

/** The place, which is no safe integer. */
const Key = z.tuple([z.string().regex(/^\d{1,19}$/)]);

export function openSearch(db: Kysely<DB>, dialect: Dialect): Search {
  return {
    async messages(userId, text, { limit, cursor, ...filter }) {
      const query = parseQuery(text);
      if (query.words.length === 0) return { items: [], nextCursor: null };
      const wanted = { userId, limit: limit + 1, filter, cursor };
      const rows = await findPlaces(db, dialect, query, wanted);
      const page = toPage(
        rows,
        limit,
        ({ place }) => [place],
        (row) => row,
      );
      const items: FoundMessage[] = [];
      for (const row of page.items) {
        items.push(await toFound(db, row, query));
        // A snippet of the longest text takes some 30 ms.
        await nextTurn();
      }
      return { ...page, items };
    },
  };
}

/** Newest first; what is deleted or archived is left out as it is met, so that no change of a conversation touches the index. */
async function findPlaces(
  db: Kysely<DB>,
  dialect: Dialect,
  query: SearchQuery,
  { userId, limit, filter, cursor }: Wanted,
): Promise<Place[]> {
  const { conversationId, role, projectId, archived } = filter;
  const inProject = projectId === undefined ? undefined : await fewConversations(db, projectId);
  if (inProject?.length === 0) return [];
  const scope = [
    ...(conversationId === undefined ? [] : [scopeToken.conversation(conversationId)]),
    ...(role === undefined ? [] : [scopeToken.role(role)]),
  ];
  const match = toMatch(query, userId, scope, inProject?.map(scopeToken.conversation));
  const conditions = [
    sql<SqlBool>`c.user_id = ${userId}`,
    ...(projectId === undefined ? [] : [sql<SqlBool>`c.project_id = ${projectId}`]),
    ...(archived === undefined ? [] : [archived ? isArchived : isNotArchived]),
  ];
  const before = cursor === undefined ? undefined : BigInt(readCursor(cursor, Key)[0]);
  const select = dialect === "sqlite" ? selectByFts5 : selectByTsvector;
  return select(db, match, { conditions, before, limit }).execute();
}

const isArchived = sql<SqlBool>`c.archived_at is not null`;
const isNotArchived = sql<SqlBool>`c.archived_at is null`;

interface Wanted {
  userId: string;
  limit: number;
  filter: SearchFilter;
  cursor: PageRequest["cursor"];
}

const maxNamed = 100;

/** The conversations of a project, so that nothing outside of it is read; undefined where there are many. */
async function fewConversations(db: Kysely<DB>, projectId: string): Promise<string[] | undefined> {
  const rows = await db
    .selectFrom("conversation as c")
    .select("c.id")
    .where("c.project_id", "=", projectId)
    .where(isNotDeleted)
    .limit(maxNamed + 1)
    .execute();
  return rows.length > maxNamed ? undefined : rows.map(({ id }) => id);
}

/** One at a time: together their bodies may be larger than the memory. */
async function toFound(
  db: Kysely<DB>,
  { conversation_id, message_id, title }: Place,
  query: SearchQuery,
): Promise<FoundMessage> {
  const row = await db
    .selectFrom("message as m")
    .innerJoin("message_place as p", (join) =>
      join.onRef("p.conversation_id", "=", "m.conversation_id").onRef("p.message_id", "=", "m.id"),
    )
    .where("m.conversation_id", "=", conversation_id)
    .where("m.id", "=", message_id)
    .select(["m.role", "m.created_at", "p.excerpt"])
    .select(({ eb, ref }) =>
      eb.case().when("p.excerpt", "is", null).then(ref("m.body")).else("").end().as("body"),
    )
    .executeTakeFirstOrThrow();
  const role = row.role === "user" ? "user" : "assistant";
  return {
    ...{ conversationId: conversation_id, title, messageId: message_id, role, createdAt: row.created_at },
    snippet: snippetOf(row.excerpt ?? readText(role, row.body), query),
  };
}
