import { shareFileWords } from "@/app/share-file-words";
import { SharedQuery } from "@/lib/server/contract/conversations";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { sharedCopy } from "@/lib/server/shares/shared-answer";

export const GET = route({ access: "public" }, async ({ deps, params, request }) =>
  sharedCopy(deps, params.token, readQuery(request, SharedQuery), shareFileWords(request)),
);
