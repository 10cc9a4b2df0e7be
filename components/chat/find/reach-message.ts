import type { ConversationStore } from "@/lib/client/conversation/conversation-store";
import type { MessagePlace } from "@/lib/client/conversation/stored-turns";

/** Older messages come in pages of this many, as large as there are. */
const pageSize = 200;
/** As many pages are loaded on the way to a message. */
const maxPages = 100;

export type Reached = MessagePlace | "missing" | "tooFar" | "failed";

/** Has the pages loaded up to a message; of another branch, that one is shown in place of the current one. */
export async function reachMessage(conversation: ConversationStore, id: string): Promise<Reached> {
  const known = conversation.placeOf(id);
  if (known) return known;
  const shown = await conversation.showBranch(id);
  if (shown !== "shown") return shown;
  for (let page = 0; page < maxPages; page++) {
    const place = conversation.placeOf(id);
    if (place) return place;
    await settled(conversation);
    const { turns, hasMore } = conversation.getState();
    if (!hasMore) return conversation.placeOf(id) ?? "missing";
    await conversation.loadOlder(pageSize);
    // It could not be fetched, which the conversation says.
    if (conversation.getState().turns === turns) return "failed";
  }
  return "tooFar";
}

/** A page that is on its way already comes first. */
function settled({ getState, subscribe }: ConversationStore): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (getState().loadingOlder) return;
      stop();
      resolve();
    };
    const stop = subscribe(look);
    look();
  });
}
