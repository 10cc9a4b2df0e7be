import { ImportQuery } from "@/lib/server/contract/conversations";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { importConversations } from "@/lib/server/transfer/import-conversations";

export const POST = route(
  {
    scope: "chat",
    audit: ({ request }) =>
      readQuery(request, ImportQuery).preview ? undefined : { action: "data.imported" },
  },
  async ({ deps, userId, request }) =>
    importConversations(deps, userId, request, readQuery(request, ImportQuery)),
);
