import { useEffect, useState } from "react";
import { search } from "@/lib/client/conversation/search";
import { askAfter } from "@/lib/client/http/ask-after";
import type { ApiError } from "@/lib/client/http/http";
import { wordsOf } from "@/lib/client/text/find-words";
import type { SearchItem } from "@/lib/protocol/search";

const pageSize = 200;
/** More messages are not counted. */
const maxHits = 1_000;
/** Between the last key and the request, ms. */
const restMs = 120;

export interface Hits {
  /** What was looked for; the hits stay until those of the next query are there. */
  query: string;
  /** The first in the conversation comes first. */
  items: readonly SearchItem[];
  /** There are more than are counted. */
  more: boolean;
  error: ApiError | null;
}

const none: Hits = { query: "", items: [], more: false, error: null };

/** The messages of a conversation in which something is found, all of them, loaded or not. */
export function useHits(conversation: string | null, query: string): Hits {
  const [hits, show] = useState(none);
  useEffect(() => {
    if (conversation === null || wordsOf(query).length === 0) return show(none);
    return askAfter(
      restMs,
      (signal) => allHits(conversation, query, signal),
      (found) => show({ query, ...found, error: null }),
      (error) => show({ ...none, query, error }),
    );
  }, [conversation, query]);
  return hits;
}

async function allHits(conversation: string, query: string, signal: AbortSignal) {
  const items: SearchItem[] = [];
  let cursor: string | null = null;
  do {
    const page = await search(query, { conversation, limit: pageSize, cursor, signal });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < maxHits);
  return { items: items.reverse(), more: cursor !== null };
}
