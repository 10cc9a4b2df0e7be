import { type RawBuilder, type SqlBool, sql } from "kysely";

/** Names a conversation in a row of this table. */
type Column =
  | "run.conversation_id"
  | "share.conversation_id"
  | "attachment.conversation_id"
  | "queued_message.conversation_id"
  | "hook_delivery.conversation_id";

/**
 * What is deleted is hidden by these two conditions and nothing else: every query whose rows go to a person has one of them,
 * and `shown.test.ts` names those that have none.
 */
export const isNotDeleted: RawBuilder<SqlBool> = sql`c.deleted_at is null`;

/** What programs have begun is in no list of conversations; it is found by its id, and its runs by their kind. */
export const isListed: RawBuilder<SqlBool> = sql`c.origin is null`;

/** The same as `isNotDeleted` of a row that belongs to a conversation; one that belongs to none is shown. */
export const isShown = (conversationId: Column | RawBuilder<string>): RawBuilder<SqlBool> =>
  sql`not exists (select 1 from conversation as gone
    where gone.id = ${typeof conversationId === "string" ? sql.ref(conversationId) : conversationId}
      and gone.deleted_at is not null)`;
