import { shareFileWords } from "@/app/share-file-words";
import { ShareFileBody } from "@/lib/server/contract/conversations";
import { route } from "@/lib/server/entry/route";
import { saveShare } from "@/lib/server/shares/shares";

export const POST = route(
  {
    scope: "chat",
    body: ShareFileBody,
    audit: ({ params }) => ({ action: "shares.saved_as_file", on: params.id }),
  },
  async ({ deps, userId, params, body, request }) =>
    saveShare(deps, userId, params.id, body, shareFileWords(request)),
);
