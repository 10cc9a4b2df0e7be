import type { ModelItem } from "@/lib/protocol/settings";

/** Neighbours of one provider or endpoint. */
export interface ModelGroup {
  provider: string;
  /** The endpoint's name; of a built-in provider its id. */
  label: string;
  items: ModelItem[];
}

/** In the order of the list. */
export function groupModels(items: readonly ModelItem[]): ModelGroup[] {
  const groups = new Map<string, ModelGroup>();
  for (const item of items) {
    const { provider, endpoint = provider } = item;
    const group = groups.get(provider) ?? { provider, label: endpoint, items: [] };
    group.items.push(item);
    groups.set(provider, group);
  }
  return [...groups.values()];
}

/** Those that hold every word of the query in their names or their endpoint's, at most `max`; `more` counts the rest. */
export function findModels(
  items: readonly ModelItem[],
  query: string,
  max: number,
): { groups: ModelGroup[]; more: number } {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const found =
    words.length === 0
      ? items
      : items.filter(({ id, name, endpoint = "" }) => {
          const text = plain(`${endpoint} ${id} ${name}`);
          return words.every((word) => text.includes(word));
        });
  return { groups: groupModels(found.slice(0, max)), more: Math.max(0, found.length - max) };
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase();
