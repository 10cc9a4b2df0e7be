import type { z } from "zod";
import type { Page } from "@/lib/protocol/http";
import type { McpSavedRequest } from "@/lib/protocol/mcp-offers";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { SavedRequestBody } from "@/lib/server/contract/servers";
import { HttpError } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";

/** Of one server; each is at most 20,000 characters long. */
const maxRequests = 100;

type SavedRequestDeps = Pick<BaseDeps, "store">;

/** Arguments that a person has kept to try tools of a server with again. */
export async function listRequests(
  { store }: Pick<BaseDeps, "store">,
  userId: string,
  server: string,
): Promise<Page<McpSavedRequest>> {
  const items = (await store.settings.get<McpSavedRequest[]>(userId, requestsKey(server))) ?? [];
  return { items, nextCursor: null };
}

/** One of the same name for the same tool is replaced. */
export function saveRequest(
  deps: SavedRequestDeps,
  userId: string,
  server: string,
  request: z.output<typeof SavedRequestBody>,
): Promise<Page<McpSavedRequest>> {
  return change(deps, userId, server, (items) => {
    const next = [
      ...items.filter((item) => item.tool !== request.tool || item.name !== request.name),
      { id: newId(), ...request, savedAt: new Date().toISOString() },
    ];
    if (next.length > maxRequests)
      throw new HttpError(
        400,
        "invalid_input",
        `At most ${maxRequests} requests are kept for one server; remove one first.`,
      );
    return next;
  });
}

export const dropRequest = (
  deps: SavedRequestDeps,
  userId: string,
  server: string,
  id: string,
): Promise<Page<McpSavedRequest>> =>
  change(deps, userId, server, (items) => items.filter((item) => item.id !== id));

/** With its server. */
export const forgetRequests = (
  { store }: Pick<BaseDeps, "store">,
  userId: string,
  server: string,
): Promise<void> => store.settings.delete(userId, requestsKey(server));

async function change(
  { store }: SavedRequestDeps,
  userId: string,
  server: string,
  edit: (items: McpSavedRequest[]) => McpSavedRequest[],
): Promise<Page<McpSavedRequest>> {
  const items = await store.settings.update(userId, requestsKey(server), (before: McpSavedRequest[] = []) =>
    edit(before),
  );
  return { items, nextCursor: null };
}

export const requestsKey = (server: string) => `requests:${server}`;
