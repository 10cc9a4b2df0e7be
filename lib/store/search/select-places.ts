import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { DB } from "@/lib/store/schema";
import { isNotDeleted } from "@/lib/store/shown";
import type { Match, Phrase } from "./search-query";

export interface Place {
  place: string;
  conversation_id: string;
  message_id: string;
  title: string;
}

interface Selection {
  /** On the conversation `c`. */
  conditions: readonly RawBuilder<SqlBool>[];
  /** Only places before this one. */
  before: bigint | undefined;
  limit: number;
}

/** In this order: the index hands over what it finds newest first, and the rest is looked up for as long as it is wanted. */
export function selectByFts5(db: Kysely<DB>, match: Match, { conditions, before, limit }: Selection) {
  const found = db
    .selectFrom("message_fts")
    .crossJoin("message_place as p")
    .crossJoin("conversation as c")
    .whereRef("p.place", "=", sql.ref("message_fts.rowid"))
    .whereRef("c.id", "=", "p.conversation_id")
    .where(sql<SqlBool>`message_fts match ${toFts5(match)}`)
    .where(isNotDeleted)
    .where(({ and }) => and([...conditions]))
    .select(selected)
    .orderBy(sql`message_fts.rowid`, "desc")
    .limit(limit);
  return before === undefined ? found : found.where(sql<SqlBool>`message_fts.rowid < ${before}`);
}

/** Of a long message each part is looked into, and its words may be in different ones. */
export function selectByTsvector(db: Kysely<DB>, match: Match, { conditions, before, limit }: Selection) {
  const parts = match.phrases.map(
    (phrase) => sql`select place from message_fts where ${toTsvector(match, phrase)}`,
  );
  const found = db
    .selectFrom("message_place as p")
    .innerJoin("conversation as c", "c.id", "p.conversation_id")
    .where(sql<SqlBool>`p.place in (${sql.join(parts, sql` intersect `)})`)
    .where(isNotDeleted)
    .where(({ and }) => and([...conditions]))
    .select(selected)
    .orderBy("p.place", "desc")
    .limit(limit);
  return before === undefined ? found : found.where(sql<SqlBool>`p.place < ${before}`);
}

const selected = [
  sql<string>`cast(p.place as text)`.as("place"),
  "p.conversation_id",
  "p.message_id",
  "c.title",
] as const;

/** Phrases in quotes, the last word of each being a prefix. */
export function toFts5({ scope, oneOf, phrases }: Match): string {
  const toToken = (token: string) => `grams : "${token}"`;
  const any = oneOf.length > 0 ? [`(${oneOf.map(toToken).join(" OR ")})`] : [];
  const words = phrases.map((phrase) =>
    "head" in phrase
      ? `heads : "${phrase.head}"`
      : `grams : "${phrase.grams.join(" ")}"${phrase.isPrefix ? " *" : ""}`,
  );
  return [...scope.map(toToken), ...any, ...words].join(" AND ");
}

function toTsvector({ scope, oneOf }: Match, phrase: Phrase): RawBuilder<SqlBool> {
  const quoted = (token: string) => `'${token}'`;
  const grams = scope.map(quoted);
  if (oneOf.length > 0) grams.push(`(${oneOf.map(quoted).join(" | ")})`);
  if ("grams" in phrase)
    grams.push(`(${phrase.grams.map(quoted).join(" <-> ")}${phrase.isPrefix ? ":*" : ""})`);
  const matches = [
    ...(grams.length > 0 ? [sql`grams @@ ${grams.join(" & ")}::tsquery`] : []),
    ...("head" in phrase ? [sql`heads @@ ${quoted(phrase.head)}::tsquery`] : []),
  ];
  return sql<SqlBool>`${sql.join(matches, sql` and `)}`;
}
