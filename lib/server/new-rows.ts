import type { ChatMessage } from "@/lib/protocol/message";
import type { ConversationRow, MessageRow } from "@/lib/store/types";
import { newId } from "./ids";
import { untitled } from "./title";

/** An empty conversation; what is not told is as nobody has chosen it yet. */
export function newConversation(
  userId: string,
  told: Partial<Omit<ConversationRow, "userId" | "createdAt" | "updatedAt">> = {},
): ConversationRow {
  const now = Date.now();
  return {
    id: newId(),
    userId,
    title: untitled,
    leafId: null,
    pinned: false,
    archived: false,
    projectId: null,
    createdAt: now,
    updatedAt: now,
    ...told,
  };
}

/** A message below `parentId`; nobody's run and no request unless told. */
export function newMessage(
  place: Pick<MessageRow, "conversationId" | "parentId">,
  message: ChatMessage,
  told: Partial<Pick<MessageRow, "id" | "runId" | "model" | "clientMessageId" | "createdAt">> = {},
): MessageRow {
  return {
    id: newId(),
    ...place,
    message,
    runId: null,
    model: null,
    clientMessageId: null,
    createdAt: Date.now(),
    ...told,
  };
}
