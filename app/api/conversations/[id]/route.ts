import { readQuery } from "@/lib/server/body";
import { deleteConversation, patchConversation, readConversation } from "@/lib/server/conversations";
import { route } from "@/lib/server/route";
import { BranchQuery, ConversationPatch } from "@/lib/server/schemas";

export const GET = route({}, async ({ deps, userId, params, request }) =>
  readConversation(deps, userId, params.id, readQuery(request, BranchQuery)),
);

export const PATCH = route({ body: ConversationPatch }, async ({ deps, userId, params, body }) =>
  patchConversation(deps, userId, params.id, body),
);

export const DELETE = route({}, async ({ deps, userId, params }) =>
  deleteConversation(deps, userId, params.id),
);
