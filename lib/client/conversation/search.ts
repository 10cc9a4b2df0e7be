import { api } from "@/lib/client/http/http";
import type { ConversationItem, Page } from "@/lib/protocol/http";
import type { SearchItem } from "@/lib/protocol/search";

export interface SearchOptions {
  limit: number;
  cursor?: string | null;
  /** In this one only, archived or not. */
  conversation?: string;
  signal?: AbortSignal;
}

/** More words of a query are not looked for. */
const maxWords = 16;

/**
 * `GET /api/search`, newest first; signs alone find nothing, and nothing is asked for them. Throws `ApiError`; an abort
 * stays an `AbortError`.
 */
export async function search(
  query: string,
  { limit, cursor, conversation, signal }: SearchOptions,
): Promise<Page<SearchItem>> {
  if (!/[\p{L}\p{N}]/u.test(query)) return { items: [], nextCursor: null };
  const q = query.trim().split(/\s+/).slice(0, maxWords).join(" ");
  const parameters = new URLSearchParams({ q, limit: String(limit) });
  if (cursor) parameters.set("cursor", cursor);
  if (conversation) {
    parameters.set("conversation", conversation);
    parameters.set("archived", "true");
  }
  return api(`/api/search?${parameters}`, signal ? { signal } : {});
}

/** Conversations whose titles have the words, newest first, archived ones left out. */
export const findConversations = (title: string, signal: AbortSignal): Promise<Page<ConversationItem>> =>
  api(`/api/conversations?${new URLSearchParams({ title, limit: "50" })}`, { signal });
