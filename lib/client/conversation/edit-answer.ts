import { api } from "@/lib/client/http/http";
import type { ConversationStore } from "./conversation-store";
import { toFailure } from "./turn-list";

/** Keeps a person's words in place of the model's last ones, as a version of the answer; resolves to whether they are kept. */
export async function editAnswer(
  conversation: ConversationStore,
  messageId: string,
  text: string,
): Promise<boolean> {
  const { id } = conversation.getState();
  conversation.set({ failure: null });
  try {
    await api(`/api/conversations/${encodeURIComponent(id ?? "")}/messages`, {
      method: "POST",
      body: { edits: messageId, text },
    });
  } catch (cause) {
    conversation.set({ failure: toFailure(cause) });
    return false;
  }
  await conversation.refresh();
  conversation.announce();
  return true;
}
