import type { Kysely } from "kysely";
import type { DB } from "./schema";
import { indexMessages } from "./search/index-messages";

/*
 * What a program has over one of OpenAI's wires and asks nobody to keep is in no list, as its origin says, but while it waits for
 * a person; its run keeps the origin meanwhile.
 */

/** Puts it into the lists, inside a transaction. */
export async function showWaiting(trx: Kysely<DB>, conversationId: string): Promise<void> {
  await trx
    .updateTable("conversation")
    .set({ origin: null })
    .where("id", "=", conversationId)
    .where("origin", "=", "openai")
    .execute();
}

/** Takes it out of the lists again, inside a transaction. */
export async function hideAgain(trx: Kysely<DB>, conversationId: string): Promise<void> {
  await trx
    .updateTable("conversation")
    .set({ origin: "openai" })
    .where("id", "=", conversationId)
    .where("origin", "is", null)
    .execute();
}

/** It is a conversation of its person from now on, with its runs, inside a transaction; its messages can be found. */
export async function keepConversation(trx: Kysely<DB>, id: string): Promise<void> {
  const kept = await trx
    .updateTable("run")
    .set({ origin: null })
    .where("conversation_id", "=", id)
    .where("origin", "=", "openai")
    .returning("id")
    .execute();
  if (kept.length === 0) return;
  await showWaiting(trx, id);
  const messages = trx.selectFrom("message").selectAll().where("conversation_id", "=", id);
  await indexMessages(trx, await messages.execute());
}
