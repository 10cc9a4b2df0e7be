import { useEffect, useRef, useState } from "react";
import { search } from "@/lib/client/conversation/search";
import { askAfter } from "@/lib/client/http/ask-after";
import { type ApiError, asApiError } from "@/lib/client/http/http";
import type { SearchItem } from "@/lib/protocol/search";

const pageSize = 50;
/** Between the last key and the request, ms. */
const restMs = 60;

export interface MessageHits {
  /** What was looked for: the hits stay until those of the next query are there. */
  query: string;
  items: readonly SearchItem[];
  nextCursor: string | null;
  error: ApiError | null;
}

const none: MessageHits = { query: "", items: [], nextCursor: null, error: null };

/** Messages in which a query is found, more of them, and the same again. A request that nobody waits for any more is cancelled. */
export function useMessageHits(query: string): {
  hits: MessageHits;
  loadMore(): void;
  retry(): void;
} {
  const [hits, show] = useState(none);
  const [attempt, setAttempt] = useState(0);
  const more = useRef<AbortController>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks for the same
  useEffect(() => {
    if (query === "") return show(none);
    const cancel = askAfter(
      restMs,
      (signal) => search(query, { limit: pageSize, signal }),
      (page) => show({ query, ...page, error: null }),
      (error) => show({ ...none, query, error }),
    );
    return () => {
      cancel();
      more.current?.abort();
    };
  }, [query, attempt]);
  const loadMore = () => {
    const cursor = hits.nextCursor;
    if (cursor === null) return;
    more.current?.abort();
    more.current = new AbortController();
    const { signal } = more.current;
    search(hits.query, { limit: pageSize, cursor, signal }).then(
      (page) => show({ ...hits, items: [...hits.items, ...page.items], nextCursor: page.nextCursor }),
      (cause) => {
        if (!signal.aborted) show({ ...hits, error: asApiError(cause) });
      },
    );
  };
  return { hits, loadMore, retry: () => setAttempt(attempt + 1) };
}
