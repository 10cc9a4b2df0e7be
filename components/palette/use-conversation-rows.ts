import { useTranslations } from "use-intl";
import type { RingState } from "@/components/ui/ring";
import { useConversations } from "@/lib/client/conversation/conversations";
import { hasWords } from "@/lib/client/text/find-words";
import type { ConversationItem } from "@/lib/protocol/http";
import type { PaletteRow } from "./palette-group";
import { useWhen } from "./use-when";

const recent = 5;

export interface ConversationRows {
  waiting: PaletteRow[];
  /** Those whose titles have the words; without words the last ones. */
  found: PaletteRow[];
}

/** `older`: those that a search has found and the sidebar has not loaded. */
export function useConversationRows(
  words: readonly string[],
  older: readonly ConversationItem[],
): ConversationRows {
  const t = useTranslations("shell");
  const when = useWhen();
  const loaded = useConversations().data?.items ?? [];
  const toRow = (item: ConversationItem): PaletteRow => {
    const state = ringOf(item);
    const waits = item.status === "waiting";
    return {
      key: `conversation-${item.id}`,
      title: item.title,
      ...(state && { ring: { state: state[0], label: t(state[1]) } }),
      note: waits ? t("waiting") : item.status === "running" ? t("running") : when(item.updatedAt),
      ...(waits && { warns: true }),
      href: `/c/${item.id}`,
    };
  };
  if (words.length === 0) {
    const isWaiting = ({ status }: ConversationItem) => status === "waiting";
    const last = loaded
      .filter((item) => !isWaiting(item))
      .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
      .slice(0, recent);
    return { waiting: loaded.filter(isWaiting).map(toRow), found: last.map(toRow) };
  }
  const known = new Set(loaded.map(({ id }) => id));
  const all = [...loaded, ...older.filter(({ id }) => !known.has(id))];
  return { waiting: [], found: all.filter(({ title }) => hasWords(title, words)).map(toRow) };
}

function ringOf({
  status,
}: ConversationItem): [RingState, "running" | "waiting" | "failed" | "interrupted"] | null {
  switch (status) {
    case "running":
      return ["run", "running"];
    case "waiting":
      return ["wait", "waiting"];
    case "failed":
      return ["failed", "failed"];
    case "interrupted":
      return ["unknown", "interrupted"];
    case "completed":
    case "stopped":
    case null:
      return null;
  }
}
