import { ConversationBody, ConversationQuery } from "@/lib/server/contract/conversations";
import { createConversation, listConversations } from "@/lib/server/conversations/conversations";
import { json, route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, userId, request }) =>
  listConversations(deps, userId, readQuery(request, ConversationQuery)),
);

export const POST = route({ scope: "chat", body: ConversationBody }, async ({ deps, userId, body }) =>
  json(await createConversation(deps, userId, body), 201),
);
