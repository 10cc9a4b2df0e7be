import { createHash } from "node:crypto";
import type { ImportedMessage } from "./imported";

interface Placed {
  id: string;
  parentId: string | null;
  createdAt: number;
}

/**
 * The same items, parents first; of two with one id the first. What hangs on none of them becomes a beginning, and a circle is
 * opened at its oldest: nothing is lost, and nothing is walked by recursion.
 */
export function parentsFirst<Item extends Placed>(items: readonly Item[]): Item[] {
  const byId = new Map<string, Item>();
  for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item);
  const children = new Map<string | null, Item[]>();
  for (const item of byId.values()) {
    const parentId = item.parentId !== null && byId.has(item.parentId) ? item.parentId : null;
    const siblings = children.get(parentId) ?? [];
    siblings.push(parentId === item.parentId ? item : { ...item, parentId });
    children.set(parentId, siblings);
  }
  const ordered: Item[] = [];
  const placed = new Set<string>();
  const place = (roots: readonly Item[]) => {
    let level = roots;
    while (level.length > 0) {
      for (const { id } of level) placed.add(id);
      ordered.push(...level);
      level = level.flatMap(({ id }) => children.get(id) ?? []).filter(({ id }) => !placed.has(id));
    }
  };
  place(children.get(null) ?? []);
  if (placed.size === byId.size) return ordered;
  for (const item of [...byId.values()].toSorted(byTime))
    if (!placed.has(item.id)) place([{ ...item, parentId: null }]);
  return ordered;
}

const byTime = (a: Placed, b: Placed): number => (a.createdAt || 0) - (b.createdAt || 0);

/** Messages with parents first and names that are ours. */
export const orderTree = (messages: readonly ImportedMessage[]): ImportedMessage[] =>
  parentsFirst(
    messages.map((message) => ({
      ...message,
      id: messageId(message.id),
      parentId: message.parentId === null ? null : messageId(message.parentId),
    })),
  );

/** Ids stand in addresses: another one than ours gets a name that is the same each time. */
export const messageId = (id: string): string =>
  /^[\w-]{1,64}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 32);

/** The newest message that nothing follows, unless the named one is there. */
export function leafOf(messages: readonly ImportedMessage[], leafId: string | null): string | null {
  const named = leafId === null ? undefined : messageId(leafId);
  if (named !== undefined && messages.some(({ id }) => id === named)) return named;
  const parents = new Set(messages.map(({ parentId }) => parentId));
  const leaves = messages.filter(({ id }) => !parents.has(id));
  return leaves.toSorted(byTime).at(-1)?.id ?? null;
}
