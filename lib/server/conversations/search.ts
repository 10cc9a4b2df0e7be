import type { z } from "zod";
import type { Page } from "@/lib/protocol/http";
import type { SearchItem } from "@/lib/protocol/search";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { SearchQuery } from "@/lib/server/contract/search";

/** Messages with all of these words. Archived conversations are left out, unless they or one of them are asked for. */
export async function search(
  { store }: Pick<BaseDeps, "store">,
  userId: string,
  { q, limit, cursor, conversation, project, role, archived }: z.output<typeof SearchQuery>,
): Promise<Page<SearchItem>> {
  const { items, nextCursor } = await store.search.messages(userId, q, {
    limit,
    ...(cursor && { cursor }),
    conversationId: conversation,
    projectId: project,
    role,
    archived: archived || conversation !== undefined ? undefined : false,
  });
  return {
    items: items.map(({ createdAt, ...item }) => ({ ...item, at: new Date(createdAt).toISOString() })),
    nextCursor,
  };
}
