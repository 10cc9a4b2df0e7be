import { BranchQuery, ConversationPatch } from "@/lib/server/contract/conversations";
import { patchConversation, readConversation } from "@/lib/server/conversations/conversations";
import { deleteConversation } from "@/lib/server/conversations/delete-conversation";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, userId, params, request }) =>
  readConversation(deps, userId, params.id, readQuery(request, BranchQuery)),
);

export const PATCH = route(
  { scope: "chat", body: ConversationPatch },
  async ({ deps, userId, params, body }) => patchConversation(deps, userId, params.id, body),
);

export const DELETE = route({ scope: "chat" }, async ({ deps, userId, params }) =>
  deleteConversation(deps, userId, params.id),
);
