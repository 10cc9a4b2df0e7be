import { newId } from "@/lib/server/ids";
import { newConversation } from "@/lib/server/new-rows";
import type { ConversationRow, MessageRow, RunStart } from "@/lib/store/types";

/**
 * A conversation that begins with these messages, for a fork of a run that is only to be looked at. Messages keep their ids, which
 * are those of a conversation. Of the runs that brought them none is there: only what was said into one still names a run, so
 * that it is no question.
 */
export function beginElsewhere(
  { userId, title }: Pick<ConversationRow, "userId" | "title">,
  messages: readonly MessageRow[],
): { conversationId: string; begin: Required<Pick<RunStart, "conversation" | "messages">> } {
  const conversation = newConversation(userId, { title });
  const noRun = newId();
  return {
    conversationId: conversation.id,
    begin: {
      conversation,
      messages: messages.map((row) => ({
        ...row,
        conversationId: conversation.id,
        runId: row.runId !== null && row.message.role === "user" ? noRun : null,
        clientMessageId: null,
      })),
    },
  };
}
