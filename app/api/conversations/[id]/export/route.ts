import { exportWords } from "@/app/export-words";
import { ExportQuery } from "@/lib/server/contract/exports";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { exportConversation } from "@/lib/server/transfer/export-conversation";

export const GET = route(
  { audit: ({ params }) => ({ action: "data.exported_conversation", on: params.id }) },
  async ({ deps, userId, params, request }) =>
    exportConversation(deps, userId, params.id, readQuery(request, ExportQuery), exportWords(request)),
);
