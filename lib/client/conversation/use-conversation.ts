import { useEffect, useState, useSyncExternalStore } from "react";
import { hearTabs } from "@/lib/client/http/tabs";
import { ChatStore } from "./chat-store";
import type { ConversationState } from "./conversation-state";
import { refreshConversations } from "./conversations";

/** Conversations that are kept as they were when somebody comes back to them. */
const maxKept = 10;
/** A remount or a change of address takes less than this and must not close the stream. */
const restAfterMs = 1_000;

interface Kept {
  store: ChatStore;
  users: number;
  timer?: ReturnType<typeof setTimeout>;
}

const kept = new Map<string, Kept>();
/** The one that has no id yet; it becomes the kept one of its id with the first message. */
let unborn: Kept | undefined;

/**
 * The conversation with this id, or a new one for null, as the page knows it and with what can be done in it. When a
 * new one gets its id, `onBorn` is called and the hook gives the very same store for that id from then on.
 */
export function useConversation(
  id: string | null,
  onBorn: (id: string) => void,
): { chat: ChatStore; state: ConversationState } {
  const [held, hold] = useState(() => ({ id, entry: entryOf(id) }));
  const { entry } = held.id === id ? held : { entry: entryOf(id) };
  // While the address still says "new", the one that was born just now stays on the screen.
  if (held.id !== id) hold({ id, entry });
  const chat = entry.store;
  useEffect(() => {
    chat.onBorn = (bornId) => {
      kept.set(bornId, entry);
      onBorn(bornId);
    };
  }, [chat, entry, onBorn]);
  useEffect(() => use(entry), [entry]);
  return { chat, state: useSyncExternalStore(chat.subscribe, chat.getState, chat.getState) };
}

function use(entry: Kept): () => void {
  clearTimeout(entry.timer);
  entry.users++;
  const { store } = entry;
  const look = () => {
    if (!document.hidden) void store.refresh();
  };
  const deaf = hearTabs(({ conversationId }) => {
    if (conversationId === store.getState().id) void store.refresh();
  });
  window.addEventListener("focus", look);
  window.addEventListener("online", look);
  if (!store.isBusy) void store.refresh();
  return () => {
    entry.users--;
    deaf();
    window.removeEventListener("focus", look);
    window.removeEventListener("online", look);
    entry.timer = setTimeout(() => store.rest(), restAfterMs);
  };
}

function entryOf(id: string | null): Kept {
  if (id === null) {
    if (!unborn || unborn.store.getState().id !== null) unborn = makeEntry(null);
    return unborn;
  }
  const entry = kept.get(id) ?? makeEntry(id);
  // The newest is last; what nobody looks at goes first.
  kept.delete(id);
  kept.set(id, entry);
  for (const [oldId, { users }] of kept) {
    if (kept.size <= maxKept) break;
    if (users === 0 && oldId !== id) kept.delete(oldId);
  }
  return entry;
}

function makeEntry(id: string | null): Kept {
  const store = new ChatStore(id);
  store.onChanged = () => void refreshConversations();
  return { store, users: 0 };
}
