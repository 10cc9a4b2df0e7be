import { useEffect, useState, useSyncExternalStore } from "react";
import { hearTabs } from "@/lib/client/http/tabs";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import type { OpenedConversation } from "@/lib/protocol/opened-conversation";
import { ChatStore } from "./chat-store";
import type { ConversationState } from "./conversation-state";
import type { ConversationStore } from "./conversation-store";
import { refreshConversations } from "./conversations";
import { broughtRunCode } from "./run-code";

/** Conversations that stay as they were until somebody returns to them. */
const maxCached = 10;
/** What another browser has queued is seen within this time while an answer is written, or something waits. */
const queuePaceMs = 4_000;
/** A remount or a change of address takes less than this and must not close the stream. */
const detachAfterMs = 1_000;

interface CachedChat {
  chat: ChatStore;
  /** Components that show it. */
  users: number;
  /** It was read before anything showed it. */
  isRead?: boolean;
  /** What it shows first, until it goes on from there. */
  opened?: OpenedConversation | undefined;
  timer?: ReturnType<typeof setTimeout>;
}

const cache = new Map<string, CachedChat>();
/** The page shows a conversation that it has not brought along, or did: what it had brought may be old by now. */
let isLater = false;
/** The one that has no id yet; it enters the cache when its first message gives it one. */
let newChat: CachedChat | undefined;

/**
 * The conversation with this id, or a new one for null, and what can be done in it. When a new one gets its id,
 * `onCreated` is called and the hook returns the very same store for that id from then on. The text of an answer that
 * streams is not in `state`: `useTurn` has it. `opened` is what the page has brought along, which the server draws too; with
 * another `asked` a new conversation is one that has no id yet.
 */
export function useConversation(
  id: string | null,
  onCreated: (id: string) => void,
  { opened, asked }: { opened?: OpenedConversation | null | undefined; asked: number },
): { chat: ChatStore; state: ConversationState } {
  const [held, hold] = useState(() => ({ id, asked, entry: opened ? openedEntry(opened) : entryOf(id) }));
  // While the address still says "new", the one that was just created stays on the screen, unless another one was asked for.
  const isHeld = held.id === id && (id !== null || held.asked === asked);
  const { entry } = isHeld ? held : { entry: entryOf(id) };
  if (!isHeld) hold({ id, asked, entry });
  const { conversation } = entry.chat;
  useEffect(() => {
    conversation.onCreated = (createdId) => {
      cache.set(createdId, entry);
      onCreated(createdId);
    };
  }, [conversation, entry, onCreated]);
  useEffect(() => use(entry), [entry]);
  const { subscribe, getOutline, getUnread } = conversation;
  return { chat: entry.chat, state: useSyncExternalStore(subscribe, getOutline, getUnread) };
}

/** For a page that is opened by its address: it is read, and what runs in it followed, while React takes the page over. */
export function readAhead(id: string): void {
  if (isLater || cache.has(id)) return;
  const entry = entryOf(id);
  entry.isRead = true;
  void entry.chat.conversation.refresh();
}

/** A turn with every word that has come so far; only the last one can change between two renders of its thread. */
export function useTurn(
  { subscribe, getState }: ConversationStore,
  turn: TurnView,
  isLast: boolean,
): TurnView {
  const now = () => (isLast ? getState().turns.findLast(({ key }) => key === turn.key) : undefined) ?? turn;
  // What React takes over has the words that the server has drawn, and no more.
  return useSyncExternalStore(isLast ? subscribe : neverChanges, now, () => turn);
}

const neverChanges = () => () => {};

/** Keeps it fresh while a component shows it; returns what the component calls when it no longer does. */
function use(entry: CachedChat): () => void {
  clearTimeout(entry.timer);
  entry.users++;
  // What was read while a view was drawn that nobody has seen may be old by now.
  const isFirst = !isLater;
  isLater = true;
  const { chat, opened } = entry;
  const { conversation } = chat;
  const fetchAgain = () => {
    const { line, failure } = conversation.getState();
    void (line === "lost" || failure?.code === "offline" ? conversation.reopen() : conversation.refresh());
  };
  const refresh = () => {
    if (!document.hidden) fetchAgain();
  };
  const stopListening = hearTabs(({ conversationId }) => {
    if (conversationId === conversation.getState().id) void conversation.refresh();
  });
  window.addEventListener("focus", refresh);
  window.addEventListener("online", refresh);
  const queueTimer = setInterval(() => {
    const { liveRunId, queue } = conversation.getState();
    if (!document.hidden && (liveRunId !== null || queue.lines.length > 0))
      void conversation.knownQueue?.load();
  }, queuePaceMs);
  const code = broughtRunCode();
  if (opened && code && isFirst) conversation.goOn(opened, code);
  else if (opened || (!chat.isBusy && !(entry.isRead && isFirst))) fetchAgain();
  entry.isRead = false;
  entry.opened = undefined;
  return () => {
    clearInterval(queueTimer);
    entry.users--;
    stopListening();
    window.removeEventListener("focus", refresh);
    window.removeEventListener("online", refresh);
    entry.timer = setTimeout(() => conversation.detach(), detachAfterMs);
  };
}

/** Titles of the conversations that this page has loaded. */
export const loadedTitles = (): string[] =>
  [...cache.values()].flatMap(({ chat }) => {
    const { phase, title } = chat.conversation.getState();
    return phase === "ready" && title !== "" ? [title] : [];
  });

/** What can be done in a conversation, for what stands beside it on the page; a new one for null. */
export const chatOf = (id: string | null): ChatStore => entryOf(id).chat;

/** The server keeps nothing from one request to the next; the page takes what it has brought along once, and never later. */
function openedEntry(opened: OpenedConversation): CachedChat {
  const { id } = opened.detail;
  const entry = typeof window === "undefined" ? makeEntry(id) : entryOf(id);
  const code = broughtRunCode();
  if (isLater || !code || entry.chat.conversation.getState().phase !== "loading") return entry;
  entry.chat.conversation.bring(opened, code);
  entry.opened = opened;
  return entry;
}

function entryOf(id: string | null): CachedChat {
  if (id === null) {
    if (!newChat || newChat.chat.conversation.getState().id !== null) newChat = makeEntry(null);
    return newChat;
  }
  const entry = cache.get(id) ?? makeEntry(id);
  // The newest is last; of those that nobody shows the oldest is dropped first.
  cache.delete(id);
  cache.set(id, entry);
  for (const [oldId, { users }] of cache) {
    if (cache.size <= maxCached) break;
    if (users === 0 && oldId !== id) cache.delete(oldId);
  }
  return entry;
}

function makeEntry(id: string | null): CachedChat {
  const chat = new ChatStore(id);
  chat.conversation.onChanged = () => void refreshConversations();
  return { chat, users: 0 };
}
