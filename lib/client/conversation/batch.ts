import { api, asApiError, isPassing } from "@/lib/client/http/http";
import { tellTabs } from "@/lib/client/http/tabs";
import type { BatchResult } from "@/lib/protocol/http";
import { allLists, changeItems, isBelow, leaving, refreshConversations, withItems } from "./conversations";

export type BatchAction = "archive" | "unarchive" | "delete" | "restore" | "move";

export interface Together extends BatchResult {
  /** What kept the others from being asked for at all. */
  error?: unknown;
}

/** As many as the route takes. */
const atOnce = 200;

/** Does it with all of them, some at a time; never throws. `settled` hears of it before the lists are fetched; every tab sees it. */
export async function changeTogether(
  ids: readonly string[],
  action: BatchAction,
  projectId?: string | null,
  settled?: (result: Together) => void,
): Promise<Together> {
  const result: Together = { done: [], failed: [] };
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = ids.slice(at, at + atOnce);
    const body = { ids: some, action, ...(projectId !== undefined && { projectId }) };
    try {
      const { done, failed } = await api<BatchResult>("/api/conversations/batch", { method: "POST", body });
      result.done.push(...done);
      result.failed.push(...failed);
    } catch (error) {
      const { code } = asApiError(error);
      result.error = error;
      const rest = isPassing(asApiError(error)) ? ids.slice(at) : some;
      result.failed.push(...rest.map((id) => ({ id, code })));
      if (rest !== some) break;
    }
  }
  // A page that shows one of them has another project now, or nothing to show.
  for (const conversationId of result.done) tellTabs({ conversationId });
  settled?.(result);
  await refreshConversations();
  return result;
}

/**
 * They are in no list of this tab until the returned function is called, which puts those back that have to stay after
 * all: a list that cannot be fetched has them then, too.
 */
export function hideConversations(ids: readonly string[]): (staying: readonly string[]) => void {
  const lists = allLists();
  const before = new Map(lists.map((list) => [list, list.snapshot().data?.items ?? []]));
  for (const id of ids) leaving.add(id);
  changeItems((items) => items.filter((item) => !leaving.has(item.id)));
  return (staying) => {
    for (const id of ids) leaving.delete(id);
    if (staying.length === 0) return;
    const back = new Set(staying);
    for (const [list, items] of before)
      list.change((now) => {
        const there = new Set(now.items.map(({ id }) => id));
        const missing = items.filter(({ id }) => back.has(id) && !there.has(id));
        return withItems(
          now,
          [...now.items, ...missing].sort((a, b) => (isBelow(a, b) ? 1 : -1)),
        );
      });
  };
}
