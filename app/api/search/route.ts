import { SearchQuery } from "@/lib/server/contract/search";
import { search } from "@/lib/server/conversations/search";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, userId, request }) =>
  search(deps, userId, readQuery(request, SearchQuery)),
);
