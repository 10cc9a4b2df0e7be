import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { PageQuery } from "@/lib/server/http/schemas";
import { listShares } from "@/lib/server/shares/shares";

export const GET = route({}, async ({ deps, userId, request }) =>
  listShares(deps, userId, readQuery(request, PageQuery)),
);
