import { useEffect, useState } from "react";
import { findConversations } from "@/lib/client/conversation/search";
import type { ConversationItem } from "@/lib/protocol/http";

/** Between the last key and the request, ms. */
const restMs = 60;

/** Conversations whose titles have the words of a query, loaded or not; those of the query before until they are there. */
export function useTitleHits(query: string): readonly ConversationItem[] {
  const [found, show] = useState<readonly ConversationItem[]>([]);
  useEffect(() => {
    if (query === "") return show([]);
    const request = new AbortController();
    const timer = setTimeout(() => {
      // Without them the loaded ones are found all the same.
      findConversations(query, request.signal).then(
        ({ items }) => show(items),
        () => {},
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [query]);
  return found;
}
