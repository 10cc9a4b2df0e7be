import { useEffect, useState } from "react";
import { findConversations } from "@/lib/client/conversation/search";
import { askAfter } from "@/lib/client/http/ask-after";
import type { ConversationItem } from "@/lib/protocol/http";

/** Between the last key and the request, ms. */
const restMs = 60;

/** Conversations whose titles have the words of a query, loaded or not; those of the query before until they are there. */
export function useTitleHits(query: string): readonly ConversationItem[] {
  const [found, show] = useState<readonly ConversationItem[]>([]);
  useEffect(() => {
    if (query === "") return show([]);
    return askAfter(
      restMs,
      (signal) => findConversations(query, signal),
      ({ items }) => show(items),
      () => {}, // without them the loaded ones are found all the same
    );
  }, [query]);
  return found;
}
