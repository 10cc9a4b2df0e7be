import type { Kysely, Transaction } from "kysely";
import type { Accounts } from "./account-ports";
import type { DB } from "./schema";
import { indexMessages } from "./search/index-messages";
import { addedUse } from "./usage-days";

/** Keys of messages that are read at once. */
const pageSize = 500;

/** What says whose it is, apart from accounts and `setting`. */
const owned = [
  ...(["conversation", "message", "run", "queued_message", "attachment", "share"] as const),
  ...(["project", "assistant", "prompt", "matrix", "schedule", "import_source", "hook_delivery"] as const),
] as const;

export const openAdoption = (db: Kysely<DB>): Pick<Accounts, "adopt"> => ({
  adopt: (from, to) =>
    db.transaction().execute(async (trx) => {
      await makeUnique(trx, from, to);
      await indexAgain(trx, from, to);
      const moved = new Map<string, number>();
      for (const table of owned) {
        // All have the column, of one type.
        const rows = trx.updateTable(table as "conversation").set({ user_id: to });
        const { numUpdatedRows } = await rows.where("user_id", "=", from).executeTakeFirst();
        moved.set(table, Number(numUpdatedRows));
      }
      await trx
        .updateTable("setting")
        .set({ user_id: to })
        .where("user_id", "=", from)
        .where("key", "not in", (eb) => eb.selectFrom("setting").select("key").where("user_id", "=", to))
        .execute();
      await moveUse(trx, from, to);
      const left = await trx.selectFrom("setting").select("key").where("user_id", "=", from).execute();
      return { conversations: moved.get("conversation") ?? 0, left: left.map(({ key }) => key) };
    }),
});

/** The index says of each message whose it is. One at a time, as a message can be of many megabytes. */
async function indexAgain(trx: Transaction<DB>, from: string, to: string): Promise<void> {
  let after = { conversation: "", message: "" };
  for (;;) {
    const keys = await trx
      .selectFrom("message_place as p")
      .innerJoin("conversation as c", "c.id", "p.conversation_id")
      .select(["p.conversation_id as conversation", "p.message_id as message"])
      .where("c.user_id", "=", from)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("p.conversation_id", "p.message_id"), ">", tuple(after.conversation, after.message)),
      )
      .orderBy("p.conversation_id")
      .orderBy("p.message_id")
      .limit(pageSize)
      .execute();
    for (const key of keys) {
      after = key;
      const { conversation, message } = key;
      const row = await trx
        .selectFrom("message")
        .select(["conversation_id", "id", "user_id", "role", "created_at", "body"])
        .where("conversation_id", "=", conversation)
        .where("id", "=", message)
        .executeTakeFirstOrThrow();
      await trx
        .deleteFrom("message_place")
        .where("conversation_id", "=", conversation)
        .where("message_id", "=", message)
        .execute();
      await indexMessages(trx, [{ ...row, user_id: to }]);
    }
    if (keys.length < pageSize) return;
  }
}

/** What one person has once alone: marks of messages that were sent again, and which file a conversation came from. */
async function makeUnique(trx: Transaction<DB>, from: string, to: string): Promise<void> {
  await trx
    .updateTable("message")
    .set({ client_message_id: null })
    .where("user_id", "=", from)
    .where("client_message_id", "in", (eb) =>
      eb
        .selectFrom("message")
        .select("client_message_id")
        .where("user_id", "=", to)
        .where("client_message_id", "is not", null),
    )
    .execute();
  await trx
    .updateTable("queued_message")
    .set(({ ref }) => ({ client_message_id: ref("id") }))
    .where("user_id", "=", from)
    .where("client_message_id", "in", (eb) =>
      eb.selectFrom("queued_message").select("client_message_id").where("user_id", "=", to),
    )
    .execute();
  await trx
    .deleteFrom("import_source")
    .where("user_id", "=", from)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("import_source as other")
          .select("other.source_id")
          .where("other.user_id", "=", to)
          .whereRef("other.source", "=", "import_source.source")
          .whereRef("other.source_id", "=", "import_source.source_id"),
      ),
    )
    .execute();
}

/** Both may have used something on the same day. */
async function moveUse(trx: Transaction<DB>, from: string, to: string): Promise<void> {
  await trx
    .insertInto("usage_day")
    .columns(["user_id", "day", "tokens", "cost"])
    .expression((eb) =>
      eb
        .selectFrom("usage_day")
        .select([eb.val(to).as("user_id"), "day", "tokens", "cost"])
        .where("user_id", "=", from),
    )
    .onConflict((conflict) => conflict.columns(["user_id", "day"]).doUpdateSet(addedUse))
    .execute();
  await trx.deleteFrom("usage_day").where("user_id", "=", from).execute();
}
