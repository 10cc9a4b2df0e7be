import type { Kysely } from "kysely";
import type { RunOrigin } from "@/lib/protocol/http";
import type { DB } from "./schema";
import { indexMessages } from "./search/index-messages";

/*
 * What a program has begun and asks nobody to keep is in no list, as its origin says, but while a run of it waits for a person; its
 * runs keep the origin meanwhile.
 */

interface Waiting {
  conversationId: string;
  origin: RunOrigin;
  /** The message at which it waits. */
  leafId: string | undefined;
}

/** Puts it into the lists, inside a transaction, and shows what is asked: calls of a program stand side by side. */
export async function showWaiting(
  trx: Kysely<DB>,
  { conversationId, origin, leafId }: Waiting,
): Promise<void> {
  await trx
    .updateTable("conversation")
    .set({ origin: null, ...(origin === "gateway" && leafId !== undefined && { leaf_id: leafId }) })
    .where("id", "=", conversationId)
    .where((eb) => eb.or([eb("origin", "=", origin), eb("origin", "is", null)]))
    .execute();
}

/** Takes it out of the lists again when nothing of it waits any more, inside a transaction. */
export async function hideAgain(
  trx: Kysely<DB>,
  { conversationId, origin }: Pick<Waiting, "conversationId" | "origin">,
): Promise<void> {
  await trx
    .updateTable("conversation")
    .set({ origin })
    .where("id", "=", conversationId)
    .where("origin", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("run")
            .select("run.id")
            .where("run.conversation_id", "=", conversationId)
            .where("run.status", "=", "waiting"),
        ),
      ),
    )
    .execute();
}

/** It is a conversation of its person from now on, with its runs, inside a transaction; its messages can be found. */
export async function keepConversation(trx: Kysely<DB>, id: string): Promise<void> {
  const kept = await trx
    .updateTable("run")
    .set({ origin: null })
    .where("conversation_id", "=", id)
    .where("origin", "=", "v1")
    .returning("id")
    .execute();
  if (kept.length === 0) return;
  await showWaiting(trx, { conversationId: id, origin: "v1", leafId: undefined });
  const messages = trx.selectFrom("message").selectAll().where("conversation_id", "=", id);
  await indexMessages(trx, await messages.execute());
}
