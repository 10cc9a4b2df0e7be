import type { ConversationItem } from "@/lib/protocol/http";

export interface ConversationGroup {
  key: string;
  /** `day` is a date before yesterday. */
  kind: "pinned" | "today" | "yesterday" | "day";
  /** Midnight that the day begins with, in the reader's own time. */
  day: Date;
  items: ConversationItem[];
}

/** Pinned ones first, then day by day, newest first. */
export function groupConversations(items: readonly ConversationItem[], now: Date): ConversationGroup[] {
  const today = midnight(now);
  const yesterday = midnight(new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1));
  const groups = new Map<string, ConversationGroup>();
  const newestFirst = [...items].sort((a, b) =>
    a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0,
  );
  for (const pinned of [true, false])
    for (const item of newestFirst) {
      if (item.pinned !== pinned) continue;
      const day = midnight(new Date(item.updatedAt));
      const kind = pinned ? "pinned" : day >= today ? "today" : +day === +yesterday ? "yesterday" : "day";
      const key = kind === "day" ? `day-${+day}` : kind;
      const group = groups.get(key) ?? { key, kind, day, items: [] };
      groups.set(key, group);
      group.items.push(item);
    }
  return [...groups.values()];
}

function midnight(time: Date): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate());
}
