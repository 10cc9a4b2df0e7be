import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { z } from "zod";
import { readCursor, toPage } from "@/lib/store/cursor";
import type { FoundMessage, Search, SearchFilter } from "@/lib/store/kept-ports";
import type { DB } from "@/lib/store/schema";
import { isNotDeleted } from "@/lib/store/shown";
import type { PageRequest } from "@/lib/store/types";
import { readText } from "./index-messages";
import { parseQuery, type SearchQuery, scopeToken, toMatch } from "./search-query";
import { snippetOf } from "./snippet";

/** The place, which is no safe integer. */
const Key = z.tuple([z.string().regex(/^\d{1,19}$/)]);

export function openSearch(db: Kysely<DB>): Search {
  return {
    async messages(userId, text, { limit, cursor, ...filter }) {
      const query = parseQuery(text);
      if (query.words.length === 0) return { items: [], nextCursor: null };
      const rows = await findPlaces(db, userId, query, { limit: limit + 1, filter, cursor });
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

interface Place {
  place: string;
  conversation_id: string;
  message_id: string;
  title: string;
}

/** Newest first; what is deleted or archived is left out as it is met, so that no change of a conversation touches the index. */
async function findPlaces(
  db: Kysely<DB>,
  userId: string,
  query: SearchQuery,
  { limit, filter, cursor }: { limit: number; filter: SearchFilter; cursor: PageRequest["cursor"] },
): Promise<Place[]> {
  const { conversationId, role, projectId, archived } = filter;
  const inProject = projectId === undefined ? undefined : await fewConversations(db, projectId);
  if (inProject?.length === 0) return [];
  const scope = [
    ...(conversationId === undefined ? [] : [scopeToken.conversation(conversationId)]),
    ...(role === undefined ? [] : [scopeToken.role(role)]),
  ];
  const match = toMatch(query, userId, scope, inProject?.map(scopeToken.conversation));
  let found = db
    .selectFrom("message_fts")
    // In this order: the index hands over what it finds newest first, and the rest is looked up for as long as it is wanted.
    .crossJoin("message_place as p")
    .crossJoin("conversation as c")
    .whereRef("p.place", "=", sql.ref("message_fts.rowid"))
    .whereRef("c.id", "=", "p.conversation_id")
    .where(sql<boolean>`message_fts match ${match}`)
    .where("c.user_id", "=", userId)
    .where(isNotDeleted)
    .select([sql<string>`cast(p.place as text)`.as("place"), "p.conversation_id", "p.message_id", "c.title"])
    .orderBy(sql`message_fts.rowid`, "desc")
    .limit(limit);
  if (projectId !== undefined) found = found.where("c.project_id", "=", projectId);
  if (archived !== undefined) found = found.where("c.archived_at", archived ? "is not" : "is", null);
  if (cursor !== undefined) {
    const [place] = readCursor(cursor, Key);
    found = found.where(sql<boolean>`message_fts.rowid < ${BigInt(place)}`);
  }
  return found.execute();
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
