import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { ConversationFields, ConversationItem, Page } from "@/lib/protocol/http";

/** Newest first, as far as they have been loaded. */
export type ConversationList = Page<ConversationItem>;

const pageSize = 50;
/** While a model writes a title; the server waits for one for 20 s at most. */
export const titlePaceMs = 1_000;

const store = new LiveStore<ConversationList>({
  name: "conversations",
  load: loadNewest,
  // Otherwise this tab would not notice the end of a run that it does not follow.
  pace: (list) =>
    list?.items.some((item) => item.titlePending)
      ? titlePaceMs
      : list?.items.some((item) => item.status === "running")
        ? 4000
        : null,
});

/** The conversations of the sidebar. */
export function useConversations(): Live<ConversationList> {
  return useLive(store);
}

/** For when a run starts or ends and when a conversation is created or renamed, so that the sidebars of all tabs agree. */
export function refreshConversations(): Promise<void> {
  return store.refresh({ tell: true });
}

export async function loadOlderConversations(): Promise<void> {
  const { data } = store.snapshot();
  if (!data?.nextCursor) return;
  const older = await api<ConversationList>(
    `/api/conversations?limit=${pageSize}&cursor=${encodeURIComponent(data.nextCursor)}`,
  );
  store.change((list) => ({ items: join(list.items, older.items), nextCursor: older.nextCursor }));
}

export type ConversationChange = Partial<ConversationFields>;

/** Shows the change at once; when the server refuses, the old state comes back and the error is thrown. */
export async function changeConversation(id: string, change: ConversationChange): Promise<void> {
  store.change((list) => ({
    ...list,
    items: list.items.map((item) => (item.id === id ? { ...item, ...change } : item)),
  }));
  try {
    await api(`/api/conversations/${id}`, { method: "PATCH", body: change });
  } finally {
    await refreshConversations();
  }
}

/**
 * Takes a conversation out of the list and deletes it after `graceMs`, or when the page closes. The returned function
 * restores it, as long as it is not deleted.
 */
export function deleteConversation(
  id: string,
  graceMs: number,
  onFailure: (error: unknown) => void,
): () => void {
  leaving.add(id);
  store.change((list) => ({ ...list, items: list.items.filter((item) => item.id !== id) }));
  const finish = async (closing = false) => {
    settle();
    try {
      await api(`/api/conversations/${id}`, { method: "DELETE", keepalive: closing });
    } catch (error) {
      onFailure(error);
    }
    leaving.delete(id);
    await refreshConversations();
  };
  const close = () => void finish(true);
  const timer = setTimeout(finish, graceMs);
  const settle = () => {
    clearTimeout(timer);
    window.removeEventListener("pagehide", close);
  };
  window.addEventListener("pagehide", close);
  return () => {
    if (!leaving.delete(id)) return;
    settle();
    void store.refresh();
  };
}

const leaving = new Set<string>();

/** Fetches the first page; what was loaded below it stays. */
async function loadNewest(before: ConversationList | undefined): Promise<ConversationList> {
  const fresh = await api<ConversationList>(`/api/conversations?limit=${pageSize}`);
  const items = fresh.items.filter((item) => !leaving.has(item.id));
  const last = fresh.items.at(-1);
  if (!before || !last || before.items.length <= pageSize) return { ...fresh, items };
  const tail = before.items.filter((item) => !item.pinned && item.updatedAt < last.updatedAt);
  return { items: join(items, tail), nextCursor: before.nextCursor };
}

function join(first: ConversationItem[], then: ConversationItem[]): ConversationItem[] {
  const known = new Set(first.map((item) => item.id));
  return [...first, ...then.filter((item) => !known.has(item.id))];
}
