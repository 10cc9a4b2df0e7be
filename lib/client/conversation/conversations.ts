import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, sameOr, useLive } from "@/lib/client/http/live-store";
import { tellTabs } from "@/lib/client/http/tabs";
import { isTold } from "@/lib/client/http/told";
import type { ConversationFields, ConversationItem, ConversationPage } from "@/lib/protocol/http";
import { refreshProjects } from "./projects";

/** Newest first, as far as they have been loaded. */
export type ConversationList = ConversationPage;

const pageSize = 50;
/** While a model writes a title; the server waits for one for 20 s at most. */
export const titlePaceMs = 1_000;

/** Where nobody tells this tab of it, it would not notice the end of a run that it does not follow. */
const pace = (list: ConversationList | undefined): number | null =>
  isTold()
    ? null
    : list?.items.some((item) => item.titlePending)
      ? titlePaceMs
      : list?.items.some((item) => item.status === "running")
        ? 4000
        : null;

const live = { name: "conversations", hint: "conversations", pace } as const;
const store = new LiveStore<ConversationList>({ ...live, load: loadNewest });

/** What else is listed in this tab, by its query: the archive, and each project that was opened; there are at most 200. */
const parts = new Map<string, LiveStore<ConversationList>>();
/** By query, how many conversations are shown, where it is more than one page. */
const wanted = new Map<string, number>();
const partPage = 200;

/** The conversations of the sidebar. */
export function useConversations(): Live<ConversationList> {
  return useLive(store);
}

/** For when a run starts or ends and when a conversation is created or renamed, so that the sidebars of all tabs agree. */
export async function refreshConversations(): Promise<void> {
  // The other lists of this tab hear it as those of others do.
  await Promise.all([store.refresh({ tell: true }), refreshProjects()]);
}

/** For a tab that nobody looks at: there the list is not kept fresh by itself. */
export function pollConversations(): Promise<void> {
  return store.refresh();
}

const archive = "archived=true";
const ofProject = (id: string) => `project=${encodeURIComponent(id)}`;

/** The conversations of one project. */
export function useProjectConversations(projectId: string): Live<ConversationList> {
  return useLive(partOf(ofProject(projectId)));
}

export function useArchive(): Live<ConversationList> {
  return useLive(partOf(archive));
}

/** One more page of the conversations of a project. */
export function loadOlderOfProject(projectId: string): Promise<void> {
  const query = ofProject(projectId);
  const part = partOf(query);
  wanted.set(query, (part.snapshot().data?.items.length ?? 0) + partPage);
  return part.refresh();
}

/** One more page of the archive; throws when it cannot be had. */
export async function loadOlderOfArchive(): Promise<void> {
  const items = await loadBelow(partOf(archive), `${archive}&`, partPage);
  wanted.set(archive, items);
}

function partOf(query: string): LiveStore<ConversationList> {
  const known = parts.get(query);
  if (known) return known;
  const load = async () => shown(await loadPages(`${query}&`, partPage, wanted.get(query) ?? 0));
  const made = new LiveStore<ConversationList>({ ...live, load });
  parts.set(query, made);
  return made;
}

/** As many as are wanted, page after page. */
async function loadPages(query: string, limit: number, count: number): Promise<ConversationList> {
  const path = `/api/conversations?${query}limit=${limit}`;
  let list = await api<ConversationList>(path);
  while (list.nextCursor !== null && list.items.length < count) {
    const page = await api<ConversationList>(`${path}&cursor=${encodeURIComponent(list.nextCursor)}`);
    list = { ...list, items: join(list.items, page.items), nextCursor: page.nextCursor };
  }
  return list;
}

/** At once in everything that shows it. */
export function changeItems(change: (items: ConversationItem[]) => ConversationItem[]): void {
  for (const each of allLists()) each.change((list) => withItems(list, change(list.items)));
}

/** What is known of conversations, wherever they are listed in this tab. */
export function listedConversations(ids: readonly string[]): ConversationItem[] {
  const known = new Map<string, ConversationItem>();
  for (const each of [...parts.values(), store])
    for (const item of each.snapshot().data?.items ?? []) known.set(item.id, item);
  return ids.flatMap((id) => known.get(id) ?? []);
}

/** Every list of this tab. */
export const allLists = (): LiveStore<ConversationList>[] => [store, ...parts.values()];

/** On their way out: what is fetched meanwhile comes without them. */
export const leaving = new Set<string>();

function shown(list: ConversationList): ConversationList {
  const items = list.items.filter((item) => !leaving.has(item.id));
  return items.length === list.items.length ? list : withItems(list, items);
}

export function withItems(list: ConversationList, items: ConversationItem[]): ConversationList {
  const { counts } = list;
  const gone = list.items.length - items.length;
  return { ...list, items, ...(counts && { counts: { ...counts, listed: counts.listed - gone } }) };
}

/** One more page of the sidebar; throws when it cannot be had. */
export async function loadOlderConversations(): Promise<void> {
  await loadBelow(store, "", pageSize);
}

/** Adds the next page to a list; how many are in it then. */
async function loadBelow(list: LiveStore<ConversationList>, query: string, limit: number): Promise<number> {
  const cursor = list.snapshot().data?.nextCursor;
  if (cursor) {
    const older = shown(
      await api<ConversationList>(
        `/api/conversations?${query}limit=${limit}&cursor=${encodeURIComponent(cursor)}`,
      ),
    );
    // Unless another has come first, and this one is not the next any more.
    list.change((now) =>
      now.nextCursor === cursor
        ? { ...now, items: join(now.items, older.items), nextCursor: older.nextCursor }
        : now,
    );
  }
  return list.snapshot().data?.items.length ?? 0;
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

/** Fetches the first page; what was loaded below it stays, unless some of it must have gone elsewhere. */
async function loadNewest(before: ConversationList | undefined): Promise<ConversationList> {
  const fresh = shown(await api<ConversationList>(`/api/conversations?limit=${pageSize}`));
  const last = fresh.items.at(-1);
  if (!before || !last) return fresh;
  // The very objects where nothing changed: their rows are not drawn again.
  const known = new Map(before.items.map((item) => [item.id, item]));
  const newest = fresh.items.map((item) => sameOr(known.get(item.id), item));
  if (before.items.length <= pageSize) return { ...fresh, items: newest };
  const items = join(
    newest,
    before.items.filter((item) => isBelow(item, last)),
  );
  const list = { ...fresh, items, nextCursor: before.nextCursor };
  if (unseen(list) === unseen(before)) return same(before, list) ? before : list;
  return shown(await loadPages("", partPage, before.items.length));
}

/** How many there are that were not loaded. */
const unseen = ({ items, counts }: ConversationList) => (counts ? counts.listed - items.length : 0);

/** In the order of the list: pinned ones first, then the newest. */
export function isBelow(item: ConversationItem, other: ConversationItem): boolean {
  if (item.pinned !== other.pinned) return other.pinned;
  if (item.updatedAt !== other.updatedAt) return item.updatedAt < other.updatedAt;
  return item.id < other.id;
}

const same = (a: ConversationList, b: ConversationList) =>
  a.items.length === b.items.length &&
  a.items.every((item, at) => item === b.items[at]) &&
  a.counts?.listed === b.counts?.listed &&
  a.counts?.archived === b.counts?.archived;

function join(first: ConversationItem[], then: ConversationItem[]): ConversationItem[] {
  const known = new Set(first.map((item) => item.id));
  return [...first, ...then.filter((item) => !known.has(item.id))];
}
