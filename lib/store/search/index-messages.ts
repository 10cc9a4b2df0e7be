import type { Kysely } from "kysely";
import { prepareInsert } from "@/lib/store/prepare";
import type { DB } from "@/lib/store/schema";
import { maxIndexed, textOf } from "./message-text";
import { scopeToken, toDocument } from "./search-query";

/** A message as it is stored. */
export type IndexedMessage = Pick<
  DB["message"],
  "conversation_id" | "id" | "user_id" | "role" | "created_at" | "body"
>;

/** Makes messages findable, inside the transaction that stores them. Others get their turn in `between`. */
export async function indexMessages(
  db: Kysely<DB>,
  records: readonly IndexedMessage[],
  between?: () => Promise<void>,
): Promise<void> {
  const grams = records.flatMap(toGrams);
  await between?.();
  // FTS5 writes out what it holds in memory as soon as a place is not beyond the one before.
  if (grams.length > 0)
    await insertGrams(
      db,
      grams.toSorted((a, b) => a.created_at - b.created_at),
    );
}

export const insertGrams = prepareInsert("message_grams", [
  "conversation_id",
  "message_id",
  "created_at",
  "excerpt",
  "grams",
  "heads",
]);

/** Nothing of one that cannot be found, or whose body cannot be read. */
export function toGrams(record: IndexedMessage): DB["message_grams"][] {
  const { conversation_id, id, user_id, role, body } = record;
  if (role !== "user" && role !== "assistant") return [];
  const text = readText(role, body);
  const scope = [scopeToken.conversation(conversation_id), scopeToken.role(role)];
  const document = toDocument(text, user_id, scope);
  if (document === undefined) return [];
  // So that finding a message of 20 MB does not mean reading it.
  const excerpt = body.length > 4 * maxIndexed ? text : null;
  return [{ conversation_id, message_id: id, created_at: timeOf(record), excerpt, ...document }];
}

/** Empty for a body that is no message. */
export function readText(role: DB["message"]["role"], body: string): string {
  try {
    return textOf({ role, ...JSON.parse(body) });
  } catch {
    return "";
  }
}

const latest = 2 ** 42;

/** Within what the order of the index takes: times come from files of other programs too. */
const timeOf = ({ created_at }: IndexedMessage): number =>
  Math.min(Math.max(Math.trunc(created_at) || 0, 0), latest);
