import { expect, it } from "vitest";
import type { ConversationItem } from "@/lib/protocol/http";
import { groupConversations } from "./group-conversations";

const now = new Date(2026, 10, 20, 0, 30);

it("puts pinned ones first, then today, yesterday and each day before, newest first", () => {
  const groups = groupConversations(
    [
      item("old", new Date(2026, 10, 18, 9)),
      item("late yesterday", new Date(2026, 10, 19, 23, 59)),
      item("pinned", new Date(2026, 0, 1), true),
      item("just now", new Date(2026, 10, 20, 0, 10)),
      item("midnight", new Date(2026, 10, 20, 0, 0)),
      item("older that day", new Date(2026, 10, 18, 8)),
    ],
    now,
  );
  expect(groups.map(({ kind, items }) => [kind, ...items.map(({ id }) => id)])).toEqual([
    ["pinned", "pinned"],
    ["today", "just now", "midnight"],
    ["yesterday", "late yesterday"],
    ["day", "old", "older that day"],
  ]);
});

it("takes a time ahead of this clock for today", () => {
  expect(groupConversations([item("ahead", new Date(2026, 10, 21))], now)[0]?.kind).toBe("today");
});

function item(id: string, updatedAt: Date, pinned = false): ConversationItem {
  const at = updatedAt.toISOString();
  return {
    id,
    title: id,
    leafId: null,
    projectId: null,
    activeRunId: null,
    status: null,
    pinned,
    archived: false,
    createdAt: at,
    updatedAt: at,
  };
}
