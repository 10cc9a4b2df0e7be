import { PageQuery } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { listShares } from "@/lib/server/shares/shares";

export const GET = route({}, async ({ deps, userId, request }) =>
  listShares(deps, userId, readQuery(request, PageQuery)),
);
