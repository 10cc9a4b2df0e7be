import { useTranslations } from "use-intl";
import type { ApiError } from "@/lib/client/http/http";
import { hasWords, wordsOf } from "@/lib/client/text/find-words";
import type { GroupId, PaletteGroup, PaletteRow } from "./palette-group";
import { useCommandRows } from "./use-command-rows";
import { useConversationRows } from "./use-conversation-rows";
import { useMessageHits } from "./use-message-hits";
import { useModelRows, useServerRows, useSettingsRows } from "./use-place-rows";
import { useTitleHits } from "./use-title-hits";
import { useWhen } from "./use-when";

/** Commands that are offered before anything is typed. */
const firstCommands = 6;

export interface PaletteGroups {
  groups: PaletteGroup[];
  /** All that have something, also while one is shown alone. */
  ids: GroupId[];
  /** Marked in what is shown. */
  words: readonly string[];
  /** Whether what is shown is all that there is for the query. */
  isSettled: boolean;
  /** Why messages could not be searched. */
  error: ApiError | null;
  loadMore(): void;
  /** After an error. */
  retry(): void;
}

/** What a query finds, in the order in which it is shown; `only`: one group of it. */
export function usePaletteGroups(query: string, only: GroupId | null): PaletteGroups {
  const isCommand = query.startsWith(">");
  const text = (isCommand ? query.slice(1) : query).trim();
  const words = wordsOf(text);
  const sought = isCommand || words.length === 0 ? "" : text;
  const { hits, loadMore, retry } = useMessageHits(sought);
  const titles = useTitleHits(sought);
  const messages = useMessageRows(hits.items, hits.query);
  const conversations = useConversationRows(isCommand ? [] : words, titles);
  const commands = useCommandRows();
  const settings = useSettingsRows();
  const servers = useServerRows();
  const models = useModelRows();
  const find = (rows: readonly PaletteRow[]) =>
    rows.filter(({ title, words: more = "" }) => hasWords(`${title} ${more}`, words));
  const isSettled = hits.query === sought;
  const all: PaletteGroup[] =
    isCommand || (words.length === 0 && only === "commands")
      ? [{ id: "commands", rows: find(commands) }]
      : words.length === 0
        ? [
            { id: "waiting", rows: conversations.waiting },
            { id: "conversations", rows: conversations.found },
            { id: "commands", rows: commands.slice(0, firstCommands) },
          ]
        : [
            { id: "conversations", rows: conversations.found },
            { id: "messages", rows: messages, hasMore: hits.nextCursor !== null, isOld: !isSettled },
            { id: "commands", rows: find(commands) },
            { id: "settings", rows: find(settings) },
            { id: "servers", rows: find(servers) },
            { id: "models", rows: find(models) },
          ];
  const filled = all.filter(({ rows }) => rows.length > 0);
  return {
    groups: only === null ? filled : filled.filter(({ id }) => id === only),
    ids: filled.map(({ id }) => id),
    words,
    isSettled,
    error: isSettled ? hits.error : null,
    loadMore,
    retry,
  };
}

function useMessageRows(
  items: ReturnType<typeof useMessageHits>["hits"]["items"],
  query: string,
): PaletteRow[] {
  const t = useTranslations("palette");
  const when = useWhen();
  return items.map(({ conversationId, title, messageId, role, at, snippet }) => ({
    key: `message-${messageId}`,
    icon: role === "user" ? "person" : "lines",
    title,
    snippet,
    note: t(role === "user" ? "byYou" : "byAnswer", { when: when(at) }),
    href: `/c/${conversationId}?${new URLSearchParams({ message: messageId, find: query })}`,
  }));
}
