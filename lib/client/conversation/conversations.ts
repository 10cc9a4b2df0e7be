import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import { tellTabs } from "@/lib/client/http/tabs";
import type { ConversationFields, ConversationItem, Page } from "@/lib/protocol/http";
import { refreshProjects } from "./projects";

/** Newest first, as far as they have been loaded. */
export type ConversationList = Page<ConversationItem>;

const pageSize = 50;
/** While a model writes a title; the server waits for one for 20 s at most. */
export const titlePaceMs = 1_000;

/** Otherwise this tab would not notice the end of a run that it does not follow. */
const pace = (list: ConversationList | undefined): number | null =>
  list?.items.some((item) => item.titlePending)
    ? titlePaceMs
    : list?.items.some((item) => item.status === "running")
      ? 4000
      : null;

const store = new LiveStore<ConversationList>({ name: "conversations", load: loadNewest, pace });

/** Those of each project that was opened in this tab; there are at most 200 projects. */
const folders = new Map<string, LiveStore<ConversationList>>();
/** By project, how many conversations its folder shows, where it is more than one page. */
const wanted = new Map<string, number>();
const folderPage = 200;

/** The conversations of the sidebar. */
export function useConversations(): Live<ConversationList> {
  return useLive(store);
}

/** For when a run starts or ends and when a conversation is created or renamed, so that the sidebars of all tabs agree. */
export async function refreshConversations(): Promise<void> {
  // The folders of this tab hear it as those of others do.
  await Promise.all([store.refresh({ tell: true }), refreshProjects()]);
}

/** For a tab that nobody looks at: there the list is not kept fresh by itself. */
export function pollConversations(): Promise<void> {
  return store.refresh();
}

/** The conversations of one project. */
export function useProjectConversations(projectId: string): Live<ConversationList> {
  return useLive(folderOf(projectId));
}

function folderOf(projectId: string): LiveStore<ConversationList> {
  const known = folders.get(projectId);
  if (known) return known;
  const made = new LiveStore<ConversationList>({
    name: "conversations",
    load: () => loadFolder(projectId),
    pace,
  });
  folders.set(projectId, made);
  return made;
}

/** As many as are wanted, page after page. */
async function loadFolder(projectId: string): Promise<ConversationList> {
  const path = `/api/conversations?project=${encodeURIComponent(projectId)}&limit=${folderPage}`;
  let list: ConversationList = { items: [], nextCursor: null };
  do {
    const cursor = list.nextCursor === null ? "" : `&cursor=${encodeURIComponent(list.nextCursor)}`;
    const page = await api<ConversationList>(path + cursor);
    list = { items: join(list.items, page.items), nextCursor: page.nextCursor };
  } while (list.nextCursor !== null && list.items.length < (wanted.get(projectId) ?? 0));
  return { ...list, items: list.items.filter((item) => !leaving.has(item.id)) };
}

/** One more page of the conversations of a project. */
export function loadOlderOfProject(projectId: string): Promise<void> {
  const folder = folderOf(projectId);
  wanted.set(projectId, (folder.snapshot().data?.items.length ?? 0) + folderPage);
  return folder.refresh();
}

/** At once in everything that shows it. */
function changeItems(change: (items: ConversationItem[]) => ConversationItem[]): void {
  for (const each of [store, ...folders.values()])
    each.change((list) => ({ ...list, items: change(list.items) }));
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
  changeItems((items) => items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  try {
    await api(`/api/conversations/${id}`, { method: "PATCH", body: change });
    // Where it is open, here too, it has the servers and the assistant of its new place.
    tellTabs({ conversationId: id });
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
  changeItems((items) => items.filter((item) => item.id !== id));
  const finish = async (closing = false) => {
    settle();
    try {
      await api(`/api/conversations/${id}`, { method: "DELETE", keepalive: closing });
    } catch (error) {
      onFailure(error);
    }
    leaving.delete(id);
    tellTabs({ conversationId: id });
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
    void refreshConversations();
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
